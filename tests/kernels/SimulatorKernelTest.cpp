// Every built-in kernel in the machine simulator, compiled for one target (`--target=sm_80`): under
// the eager, the lazy and 20 random schedules there is no finding and the results are the
// reference's. Where a plan is found, the same with it, under 8 random schedules. `--all` takes the
// cases of Cases.def instead, under the lazy schedule alone.
#include "tests/kernels/CaseTests.h"
#include "tests/kernels/SimulatedCase.h"

#include <chrono>
#include <cstring>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::kernels;
using simulator::Schedule;

namespace {

constexpr unsigned kRandomSchedules = 20, kRandomSchedulesOfPlans = 8;

std::string target = "sm_80";
bool all = false;
uint64_t laneInstructions = 0;
double seconds = 0;

/// Whether a kernel adds in the reference's order: not at all, or along k of products, ascending.
bool ordersSumsAsReference(const Case &test) {
  llvm::StringRef kernel = test.kernel;
  return !kernel.contains("softmax") && !kernel.contains("norm") && !kernel.contains("sum") &&
         !kernel.contains("attention") && !kernel.contains("entropy");
}

class SimulatorKernelTest : public testing::Test {
public:
  explicit SimulatorKernelTest(Case test) : test(std::move(test)) {}

  void TestBody() override {
    ErrorOr<SimulatedCase> simulated = SimulatedCase::create(test, target);
    ASSERT_TRUE(simulated) << simulated.error().message;
    ErrorOr<std::optional<SimulatedCase>> planned = SimulatedCase::createPlanned(test, target);
    ASSERT_TRUE(planned) << planned.error().message;
    run(*simulated, all ? lazySchedule() : schedules(kRandomSchedules));
    if (*planned && !HasFailure())
      run(**planned, all ? lazySchedule() : schedules(kRandomSchedulesOfPlans));
  }

private:
  using Schedules = std::vector<std::pair<std::string, simulator::MachineOptions>>;

  void run(SimulatedCase &simulated, const Schedules &schedules) {
    SCOPED_TRACE(test.command() + " --target " + target + "\nplan: " + simulated.plan());
    auto start = std::chrono::steady_clock::now();
    for (const auto &[name, options] : schedules) {
      SimulatedRun run = simulated.run(options);
      laneInstructions += run.result.laneInstructions;
      if (ordersSumsAsReference(test) && simulated.plan().empty()) {
        EXPECT_TRUE(run.isExact);
      }
      ASSERT_EQ(run.fault, "") << "schedule " << name;
    }
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  static Schedules lazySchedule() { return {{"lazy", {.schedule = Schedule::Lazy}}}; }

  static Schedules schedules(unsigned randoms) {
    Schedules result(2 + randoms);
    result[0].first = "eager";
    result[1].first = "lazy";
    result[1].second.schedule = Schedule::Lazy;
    for (unsigned seed = 0; seed < randoms; ++seed) {
      auto &[name, options] = result[2 + seed];
      name = fmt::format("random, seed {}", seed);
      options.schedule = Schedule::Random;
      options.seed = seed;
      options.count = false;
    }
    return result;
  }

  Case test;
};

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    all |= !std::strcmp(argv[i], "--all");
  for (int i = 1; i < argc; ++i)
    if (!std::strncmp(argv[i], "--target=", 9))
      target = argv[i] + 9;
  for (const Case &test : all ? allCases() : simulatedCases())
    testing::RegisterTest(test.kernel.c_str(), test.name().c_str(), nullptr, nullptr, __FILE__,
                          __LINE__,
                          [test]() -> testing::Test * { return new SimulatorKernelTest(test); });
  initTests(argc, argv);
  int status = RUN_ALL_TESTS();
  fmt::print("{}: {:.0f} million lane instructions in {:.1f} s\n", target,
             double(laneInstructions) * 1e-6, seconds);
  return status;
}
