// Kernels and plans that another process left on disk: what is the same, and what is not taken.
#include "tools/driver/CodeCache.h"

#include "support/Files.h"
#include "tests/support/Processes.h"
#include "tests/tools/HostArguments.h"
#include "tools/driver/BuildId.h"
#include "tools/driver/GivenPlan.h"
#include "tools/driver/Plans.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace tilewright::driver {
namespace {

namespace fs = std::filesystem;
using runtime::ElementType;

class CodeCacheTest : public testing::Test {
protected:
  void SetUp() override {
    if (!runtime::Nvrtc::get())
      GTEST_SKIP() << "no NVRTC";
    std::string pattern = testing::TempDir() + "tilewright-code-XXXXXX";
    folder = mkdtemp(pattern.data());
    setenv("TILEWRIGHT_CACHE_DIR", folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TILEWRIGHT_CACHE_DIR");
    if (!folder.empty())
      fs::remove_all(folder);
  }

  static KernelTextPtr vectorAdd() { return *loadKernel("vector_add"); }
  static Attempt attemptOn(const std::string &target) {
    KernelTextPtr text = vectorAdd();
    Attempt attempt;
    attempt.config.target = target;
    attempt.specialisation.dtypes["E"] = frontend::Dtype::F16;
    for (const frontend::Param &param : text->signature().params)
      if (param.kind == frontend::Param::Tensor)
        attempt.specialisation.tensors[param.name].align = 16;
    return attempt;
  }
  bool isKnown(const KernelText &text, const Attempt &attempt,
               const runtime::CompileOptions &options = {}) {
    return CodeCache(options).load(text, attempt).has_value();
  }
  std::vector<fs::path> files() const {
    if (!fs::exists(folder))
      return {};
    return {fs::directory_iterator(folder), {}};
  }

  std::string folder;
};

TEST(BuildId, is_the_linkers) {
  EXPECT_GE(buildId().size(), 16u);
  EXPECT_EQ(buildId().find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST_F(CodeCacheTest, gives_what_was_compiled) {
  KernelTextPtr text = vectorAdd();
  Attempt wanted = attemptOn("sm_90");
  EXPECT_FALSE(isKnown(*text, wanted));
  ErrorOr<Compiled> first = compile(text, wanted);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(isKnown(*text, wanted));
  ErrorOr<Compiled> second = compile(text, wanted);
  ASSERT_TRUE(second);
  const runtime::CompiledKernel &old = first->kernel.compiled(), &found = second->kernel.compiled();
  EXPECT_FALSE(old.fromCache);
  EXPECT_TRUE(found.fromCache);
  EXPECT_EQ(first->kernel.source(), second->kernel.source());
  EXPECT_EQ(old.text, found.text);
  EXPECT_EQ(old.resources.registers, found.resources.registers);
  EXPECT_EQ(old.spills.storeBytes, found.spills.storeBytes);
  EXPECT_EQ(old.performanceNotes, found.performanceNotes);
  EXPECT_EQ(first->attempt.str(text->signature()), second->attempt.str(text->signature()));
}

TEST_F(CodeCacheTest, knows_that_registers_may_be_spilled) {
  KernelTextPtr text = vectorAdd();
  ErrorOr<Compiled> compiled = compile(text, attemptOn("sm_90"));
  ASSERT_TRUE(compiled) << compiled.error().message;
  compiled->attempt.config.allowSpills = true; // where nothing else fits
  CodeCache().store(*text, *compiled);
  std::optional<Compiled> found = CodeCache().load(*text, compiled->wanted);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->attempt.config.allowSpills);
}

TEST_F(CodeCacheTest, gives_the_configuration_that_was_chosen) {
  KernelTextPtr text = *loadKernel("matmul");
  HostArguments arguments(ElementType::F32, {{512, 512}, {512, 512}, {512, 512}});
  ErrorOr<Call> call = arrange(text->signature(), arguments.list);
  ASSERT_TRUE(call) << call.error().message;
  ErrorOr<Attempt> wanted = attemptOf(*text, {.target = "sm_75"}, *call, {});
  ASSERT_TRUE(wanted) << wanted.error().message;
  wanted->config.stages = 2;
  ErrorOr<Compiled> first = compile(text, *wanted), second = compile(text, *wanted);
  ASSERT_TRUE(first && second) << first.error().message;
  EXPECT_TRUE(isKnown(*text, *wanted));
  EXPECT_EQ(first->attempt.config, second->attempt.config);
  EXPECT_EQ(first->attempt.str(text->signature()), second->attempt.str(text->signature()));
  EXPECT_EQ(first->rejected, second->rejected);
  EXPECT_EQ(translate(text, second->attempt)->source, second->kernel.source());
}

TEST_F(CodeCacheTest, knows_one_text_and_configuration) {
  KernelTextPtr text = vectorAdd();
  Attempt wanted = attemptOn("sm_90");
  ASSERT_TRUE(compile(text, wanted));
  EXPECT_TRUE(isKnown(*text, wanted));
  auto isKnownWith = [&](auto change) {
    Attempt other = wanted;
    change(other);
    return isKnown(*text, other);
  };
  EXPECT_FALSE(isKnownWith([](Attempt &other) { other.config.target = "sm_80"; }));
  EXPECT_FALSE(isKnownWith([](Attempt &other) { other.config.warps = 2; }));
  EXPECT_FALSE(isKnownWith([](Attempt &other) { other.config.planText = "plan"; }));
  EXPECT_FALSE(isKnownWith([](Attempt &other) { other.config.cudaText = "plan"; }));
  EXPECT_FALSE(isKnownWith([](Attempt &other) { other.config.disabledPasses = {"cse"}; }));
  EXPECT_FALSE(
      isKnownWith([](Attempt &other) { other.specialisation.consts["BN"] = int64_t(512); }));
  EXPECT_FALSE(isKnownWith([](Attempt &other) { other.specialisation.tensors["x"].wide = true; }));
  EXPECT_FALSE(isKnown(*text, wanted, {.extraOptions = {"-lineinfo"}}));
  setenv("TILEWRIGHT_WATCHDOG", "100", 1); // which is an option
  EXPECT_FALSE(isKnown(*text, wanted));
  unsetenv("TILEWRIGHT_WATCHDOG");
  for (auto [edited, file] : {std::pair(text->text + "\n", text->file), {text->text, "other.py"}}) {
    ErrorOr<KernelTextPtr> other = loadKernelText(edited, file, text->kernel);
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_FALSE(isKnown(**other, wanted));
  }
}

TEST(KernelTextHash, depends_on_what_is_captured) {
  frontend::Captured captured;
  captured.constants.emplace_back("unused", int64_t(1));
  KernelTextPtr plain = *loadKernel("vector_add");
  auto load = [&] { return *loadKernelText(plain->text, plain->file, plain->kernel, captured); };
  KernelTextPtr one = load();
  EXPECT_EQ(one->hash, load()->hash);
  EXPECT_NE(one->hash, plain->hash);
  captured.constants.front().second = int64_t(2);
  EXPECT_NE(one->hash, load()->hash);
}

TEST_F(CodeCacheTest, takes_damaged_entries_as_missing) {
  KernelTextPtr text = vectorAdd();
  Attempt wanted = attemptOn("sm_90");
  ErrorOr<Compiled> first = compile(text, wanted);
  ASSERT_TRUE(first);
  ASSERT_EQ(files().size(), 2u); // the code, and what leads to it
  for (const fs::path &file : files())
    for (size_t keep : {size_t(0), size_t(50), size_t(fs::file_size(file) - 1)}) {
      fs::resize_file(file, keep);
      EXPECT_FALSE(isKnown(*text, wanted));
      ErrorOr<Compiled> again = compile(text, wanted);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->kernel.source(), first->kernel.source());
      EXPECT_TRUE(isKnown(*text, wanted));
    }
}

TEST_F(CodeCacheTest, takes_entries_that_others_may_write_to_as_missing) {
  KernelTextPtr text = vectorAdd();
  Attempt wanted = attemptOn("sm_90");
  ASSERT_TRUE(compile(text, wanted));
  for (const fs::path &file : files()) {
    fs::permissions(file, fs::perms::all);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(isKnown(*text, wanted));
    EXPECT_TRUE(compile(text, wanted));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "tilewright: warning: a compiled kernel on disk is not used: others than its owner "
              "may write to `" +
                  file.string() + "`; `chmod go-w` changes that\n");
    EXPECT_TRUE(isKnown(*text, wanted));
  }
}

TEST_F(CodeCacheTest, refuses_what_an_entry_should_not_say) {
  KernelTextPtr text = vectorAdd();
  Attempt wanted = attemptOn("sm_90");
  ASSERT_TRUE(compile(text, wanted));
  for (const fs::path &file : files()) {
    runtime::Archive entry = *runtime::Archive::unpack(*readFile(file));
    if (!entry.find("choice.json"))
      continue;
    for (auto &[item, bytes] : entry.items()) {
      runtime::Archive changed;
      for (const auto &[name, old] : entry.items())
        changed.add(name, name == item && name != "text" ? "{\"asked\": 7}" : old);
      ASSERT_TRUE(writeFileAtomic(file, changed.pack()));
      EXPECT_EQ(isKnown(*text, wanted), item == "text") << item;
    }
  }
}

TEST_F(CodeCacheTest, can_be_switched_off) {
  setenv("TILEWRIGHT_NO_CACHE", "1", 1);
  EXPECT_TRUE(compile(vectorAdd(), attemptOn("sm_90")));
  EXPECT_TRUE(files().empty());
  unsetenv("TILEWRIGHT_NO_CACHE");
  ASSERT_TRUE(compile(vectorAdd(), attemptOn("sm_90")));
  setenv("TILEWRIGHT_NO_CACHE", "1", 1);
  EXPECT_FALSE(isKnown(*vectorAdd(), attemptOn("sm_90")));
  unsetenv("TILEWRIGHT_NO_CACHE");
}

TEST_F(CodeCacheTest, is_shared_by_processes) {
  KernelTextPtr text = vectorAdd();
  std::vector<int> results = inProcesses(4, [&](int) {
    bool good = true;
    for (const char *target : {"sm_80", "sm_90"})
      good &= bool(compile(text, attemptOn(target)));
    return good;
  });
  EXPECT_EQ(results, std::vector<int>(4));
  EXPECT_EQ(files().size(), 4u);
  EXPECT_TRUE(isKnown(*text, attemptOn("sm_80")));
}

//===- Plans ----------------------------------------------------------------------------------===//

/// A product in another process each time: nothing but the disk is shared.
class FoundPlan : public CodeCacheTest {
protected:
  Memo::Result find(const std::vector<std::vector<int64_t>> &shapes) {
    HostArguments arguments(ElementType::BF16, shapes);
    Call call = *arrange(text->signature(), arguments.list);
    wanted = *attemptOf(*text, {.target = "sm_90"}, call, {});
    Memo memo;
    ErrorOr<Memo::Result> result = Plans(text, wanted).find(call, /*device=*/-1, memo);
    EXPECT_TRUE(result && **result) << (result ? (*result)->error() : result.error()).message;
    return *result;
  }
  std::vector<int64_t> launch = {512, 512, 512, 512, 512, 512, *multiprocessorsOf(-1)};
  std::vector<std::vector<int64_t>> squares = {{512, 512}, {512, 512}, {512, 512}};

  KernelTextPtr text = *loadKernel("matmul_nt");
  Attempt wanted;
};

TEST_F(FoundPlan, is_found_once) {
  Memo::Result first = find(squares);
  const std::string &plan = (*first)->attempt.config.planText;
  EXPECT_NE(plan, "");
  EXPECT_EQ(CodeCache().loadPlan(*text, wanted, launch), plan);
  size_t count = files().size();
  Memo::Result second = find(squares);
  EXPECT_TRUE((*second)->kernel.compiled().fromCache);
  EXPECT_EQ((*second)->attempt.config, (*first)->attempt.config);
  EXPECT_EQ((*second)->kernel.source(), (*first)->kernel.source());
  EXPECT_EQ(files().size(), count);
}

TEST_F(FoundPlan, is_not_looked_for_where_an_entry_names_one) {
  // Another plan than the best, as it is taken where the best is rejected.
  find(squares);
  PlanSearch search(text, wanted);
  std::vector<passes::Plan> plans = search.finalists(planner::Launch{
      [](std::string_view) { return std::optional<runtime::ExprValue>(int64_t(512)); }, 132});
  ASSERT_GT(plans.size(), 1u);
  for (const passes::Plan &plan : {plans.back(), plans.front()}) {
    CodeCache().storePlan(*text, wanted, launch, plan.str());
    EXPECT_EQ((*find(squares))->attempt.config.planText, plan.str());
  }
  CodeCache().storePlan(*text, wanted, launch, ""); // none of them compiled
  EXPECT_EQ((*find(squares))->attempt.config.planText, "");
}

TEST_F(FoundPlan, is_looked_for_where_the_entry_is_no_use) {
  std::string plan = (*find(squares))->attempt.config.planText;
  for (const char *entry : {"plan of nothing", "plan other for sm_90\n"}) {
    CodeCache().storePlan(*text, wanted, launch, entry);
    EXPECT_EQ((*find(squares))->attempt.config.planText, plan);
    EXPECT_EQ(CodeCache().loadPlan(*text, wanted, launch), plan);
  }
}

TEST_F(FoundPlan, is_known_for_its_sizes) {
  find(squares);
  launch.front() = 1024;
  EXPECT_FALSE(CodeCache().loadPlan(*text, wanted, launch));
}

TEST_F(FoundPlan, is_none_of_a_kernel_without_products) {
  text = vectorAdd();
  std::vector<std::vector<int64_t>> vectors = {{4096}, {4096}, {4096}};
  find(vectors);
  EXPECT_EQ(CodeCache().loadPlan(*text, wanted, {}), "");
  EXPECT_TRUE((*find(vectors))->kernel.compiled().fromCache);
}

} // namespace
} // namespace tilewright::driver
