// Every case on the GPU against the reference interpreter: with the plan that a launch takes, and
// without one.
//
// `--target=native` (the default) compiles for the local GPU; `--target=compute_75` gives PTX of an
// older generation, which the driver compiles, so that its code paths run here too. The variable
// TILEWRIGHT_TEST_TARGET says the same; TILEWRIGHT_RESULT_JSON names a file for a summary.
// `--compile-only` needs no GPU: it compiles every case and says which do not compile.
#include "tests/kernels/CaseTests.h"
#include "tests/kernels/KernelCall.h"

#include "ir/Target.h"
#include "runtime/Device.h"
#include "runtime/Nvrtc.h"
#include "support/Env.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tilewright;
using namespace tilewright::kernels;
using nlohmann::json;

namespace {

constexpr int kDevice = 0;

/// What a test needs from the CPU.
struct Prepared {
  KernelCall call;
  Tensors expected;
  std::vector<driver::Memo::Result> kernels; ///< What a launch takes, then what has no plan.
};

/// The plan of a kernel; empty if it has none.
const std::string &planOf(const driver::Memo::Result &kernel) {
  return (*kernel)->attempt.config.planText;
}

/// Whether registers do not hold the tiles, which may be large for the sake of a plan.
bool spills(const Error &error) {
  return error.message.find("keeps registers in local memory") != std::string::npos;
}

class Session {
public:
  /// Why nothing can run; empty on a machine with a GPU and NVRTC.
  std::string open() {
    if (compileOnly)
      return "";
    ErrorOr<const runtime::Driver *> found = runtime::Driver::get();
    if (!found)
      return found.error().message;
    if ((*found)->devices().empty())
      return "the driver reports no GPU";
    if (ErrorOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get(); !nvrtc)
      return nvrtc.error().message;
    driver = *found;
    if (target == "native")
      target = driver->devices()[kDevice].target();
    return "";
  }

  ErrorOr<Prepared> prepare(const Case &test) {
    TILEWRIGHT_ASSIGN(KernelCall call, KernelCall::create(test, target));
    TILEWRIGHT_ASSIGN(driver::Attempt wanted, call.attempt());
    TILEWRIGHT_ASSIGN(driver::Memo::Result taken, call.taken(compileOnly ? -1 : kDevice, memo));
    if (!*taken)
      return taken->error();
    std::vector<driver::Memo::Result> kernels = {taken};
    driver::Memo::Result plain = memo.get(call.step().text, wanted);
    if (!*plain && !spills(plain->error()))
      return plain->error();
    if (*plain && plain != taken)
      kernels.push_back(std::move(plain));
    Tensors expected = call.tensors;
    TILEWRIGHT_TRY(call.interpret(expected, /*optimized=*/false));
    return Prepared{std::move(call), std::move(expected), std::move(kernels)};
  }

  /// Runs a kernel over copies of the call's tensors and gives them back.
  ErrorOr<Tensors> launch(const KernelCall &call, driver::Compiled &compiled) {
    std::map<std::string, runtime::DeviceBuffer> buffers;
    for (const auto &[name, tensor] : call.tensors) {
      TILEWRIGHT_ASSIGN(runtime::DeviceBuffer buffer,
                        runtime::DeviceBuffer::allocate(*driver, tensor.storage.size(), kDevice));
      TILEWRIGHT_TRY(buffer.copyFrom(tensor.storage.data(), tensor.storage.size()));
      buffers.emplace(name, std::move(buffer));
    }
    auto address = [&](const std::string &name) { return buffers.at(name).data(); };
    TILEWRIGHT_ASSIGN(driver::Call arguments, call.arguments(address, kDevice));
    TILEWRIGHT_ASSIGN(runtime::OwnedStream stream, runtime::OwnedStream::create(*driver, kDevice));
    TILEWRIGHT_TRY(compiled.kernel.launch(stream.get(), arguments.arguments));
    if (Status status = stream.synchronize(); !status) {
      fault = call.test().kernel + "." + call.test().name();
      return std::move(status).error();
    }
    Tensors found = call.tensors;
    for (auto &[name, tensor] : found)
      TILEWRIGHT_TRY(buffers.at(name).copyTo(tensor.storage.data(), tensor.storage.size()));
    return found;
  }

  std::string target = "native";
  bool compileOnly = false;
  size_t planned = 0; ///< Cases with a plan.
  std::string fault;  ///< The case whose kernel faulted, after which the GPU runs nothing more.
  const runtime::Driver *driver = nullptr;

private:
  driver::Memo memo;
};

/// Whether the target's shared memory does not hold the tiles; the compiler says so in these words.
bool isRefusal(const Error &error) {
  return error.message.find("bytes of shared memory") != std::string::npos;
}

/// How many cases may be refused so: those with the largest tiles, where a block has less than the
/// 160 KB that they take. A change that makes kernels take more fails here, and is not skipped.
size_t mostRefused(const std::string &target) {
  driver::Config config;
  config.target = target;
  return findTarget(config.passTarget())->smem < 160 * 1024 ? 12 : 0;
}

/// Counts for the summary.
class Summary : public testing::EmptyTestEventListener {
public:
  explicit Summary(const Session &session) : session(session) {}

  void OnTestEnd(const testing::TestInfo &info) override {
    const testing::TestResult &result = *info.result();
    ++(result.Skipped() ? skipped : result.Passed() ? passed : failed);
    if (!result.Failed())
      return;
    failures.push_back({{"kernel", info.test_suite_name()},
                        {"case", info.name()},
                        {"message", result.GetTestPartResult(0).message()}});
  }

  void report() const {
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::string gpu = session.driver ? session.driver->devices()[kDevice].name : "no GPU";
    fmt::print("{} on {}: {} cases, {} of them with plans, {} passed, {} failed, {} skipped, "
               "{:.1f} s\n",
               session.target, gpu, passed + failed + skipped, session.planned, passed, failed,
               skipped, seconds);
    const char *path = std::getenv("TILEWRIGHT_RESULT_JSON");
    if (!path)
      return;
    json result = {
        {"target", session.target},   {"gpu", gpu},         {"cases", passed + failed + skipped},
        {"planned", session.planned}, {"passed", passed},   {"failed", failed},
        {"skipped", skipped},         {"seconds", seconds}, {"failures", failures}};
    std::ofstream(path) << result.dump(2) << "\n";
  }

private:
  const Session &session;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  int passed = 0, failed = 0, skipped = 0;
  json failures = json::array();
};

/// A cache of compiled kernels of this process alone, so that nothing stale is tested.
class TemporaryCache {
public:
  TemporaryCache() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
    if (mkdtemp(pattern.data()))
      folder = pattern;
    setenv(envName(EnvVar::CacheDir), folder.c_str(), 1);
  }
  ~TemporaryCache() {
    std::error_code ignored;
    if (!folder.empty())
      std::filesystem::remove_all(folder, ignored);
  }

private:
  std::filesystem::path folder;
};

/// Takes our own options off the command line.
void takeOptions(int &argc, char **argv, Session &session) {
  if (const char *variable = std::getenv("TILEWRIGHT_TEST_TARGET"))
    session.target = variable;
  constexpr std::string_view kTarget = "--target=";
  int kept = 1;
  for (int i = 1; i < argc; ++i)
    if (std::string_view word = argv[i]; word.starts_with(kTarget))
      session.target = word.substr(kTarget.size());
    else if (word == "--compile-only")
      session.compileOnly = true;
    else
      argv[kept++] = argv[i];
  argc = kept;
}

} // namespace

int main(int argc, char **argv) {
  TemporaryCache cache;
  Session session;
  takeOptions(argc, argv, session);
  std::vector<Case> cases = allCases();
  std::string missing = session.open();
  using Result = std::shared_ptr<ErrorOr<Prepared>>;
  auto *ahead = new AheadEnvironment<Result>(
      [&](size_t i) { return std::make_shared<ErrorOr<Prepared>>(session.prepare(cases[i])); });
  size_t refused = 0;
  std::function<void(size_t)> run = [&](size_t i) {
    if (!missing.empty())
      GTEST_SKIP() << missing;
    if (!session.fault.empty())
      GTEST_SKIP() << "the GPU is unusable since the kernel of " << session.fault << " faulted";
    Result prepared = ahead->take(i);
    if (!*prepared && isRefusal(prepared->error())) {
      ASSERT_LT(refused++, mostRefused(session.target)) << prepared->error().message;
      GTEST_SKIP() << prepared->error().message;
    }
    ASSERT_TRUE(*prepared) << prepared->error().message << "\n" << cases[i].command();
    session.planned += !planOf((*prepared)->kernels.front()).empty();
    if (session.compileOnly)
      return;
    for (const driver::Memo::Result &kernel : (*prepared)->kernels) {
      SCOPED_TRACE(cases[i].command() + "\nplan: " + planOf(kernel));
      ErrorOr<Tensors> found = session.launch((*prepared)->call, **kernel);
      ASSERT_TRUE(found) << found.error().message;
      bool isPlanned = !planOf(kernel).empty();
      EXPECT_EQ(findFault((*prepared)->call, *found, (*prepared)->expected, isPlanned), "");
    }
  };
  registerCases(run);
  initTests(argc, argv);
  if (missing.empty())
    testing::AddGlobalTestEnvironment(ahead);
  auto *summary = new Summary(session);
  testing::UnitTest::GetInstance()->listeners().Append(summary);
  int status = RUN_ALL_TESTS();
  if (!testing::GTEST_FLAG(list_tests))
    summary->report();
  return status;
}
