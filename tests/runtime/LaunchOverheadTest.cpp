// Measures what a launch adds to the driver's call, with a driver that does nothing. The bounds are
// loose, for slow and busy machines; the printed figures are what to look at.

#include "FakeDriver.h"
#include "TestKernels.h"
#include "runtime/Kernel.h"
#include "runtime/PlanChoice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

using namespace tilewright::runtime;

static size_t allocationCount = 0;

void *operator new(size_t size) {
  ++allocationCount;
  if (void *memory = std::malloc(size))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

class LaunchOverhead : public testing::Test {
protected:
  void SetUp() override {
    fakeState().record = false;
    fakeState().current = fake::contextOf(0);
  }

  /// Nanoseconds per launch: the best of several rounds, since others use the machine.
  template <typename F> double measure(F launch) {
    constexpr int kLaunches = 20000;
    double best = 1e9;
    for (int round = 0; round < 10; ++round) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kLaunches; ++i)
        launch(i);
      std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      best = std::min(best, time.count() / kLaunches);
    }
    return best;
  }

  const Driver &driver = fakeDriver();
  Kernel kernel = *Kernel::fromCompiled(attention(), CompiledKernel{}, &driver);
  TestTensor q{{2, 256, 8, 64}}, k{{2, 512, 4, 64}};
};

TEST_F(LaunchOverhead, repeated_arguments_do_not_allocate) {
  std::vector<Argument> args = {q.ref(), k.ref(), 0.5, int64_t(7)};
  ASSERT_TRUE(kernel.launch(nullptr, args));
  bool good = true;
  size_t before = allocationCount;
  double time = measure([&](int) { good &= kernel.launch(nullptr, args).ok(); });
  EXPECT_EQ(allocationCount, before) << "a launch allocates";
  EXPECT_TRUE(good);
  std::printf("repeated arguments: %.0f ns per launch\n", time);
}

TEST_F(LaunchOverhead, changed_arguments_do_not_allocate) {
  std::vector<Argument> args[2] = {{q.ref(), k.ref(), 0.5, int64_t(7)},
                                   {k.ref(), k.ref(), 0.5, int64_t(7)}};
  std::get<TensorRef>(args[1][0]).data = reinterpret_cast<void *>(0x20000);
  ASSERT_TRUE(kernel.launch(nullptr, args[0]));
  bool good = true;
  size_t before = allocationCount;
  double time = measure([&](int i) { good &= kernel.launch(nullptr, args[i & 1]).ok(); });
  EXPECT_EQ(allocationCount, before) << "a launch allocates";
  EXPECT_TRUE(good);
  std::printf("changed arguments: %.0f ns per launch\n", time);
}

TEST_F(LaunchOverhead, a_choice_between_plans_does_not_allocate) {
  std::vector<KernelSource> plans(3, attention());
  for (int64_t length : {64, 128})
    plans[length / 64 - 1].checks.push_back(
        {*Expr::parse("S <= " + std::to_string(length)), "", "", /*selects=*/true});
  std::get<TensorArg>(plans[2].args[0]).alignment = 8;
  PlanChoice choice = *PlanChoice::create(plans);
  std::vector<Argument> args = {q.ref(), k.ref(), 0.5, int64_t(7)};
  bool good = true;
  size_t before = allocationCount;
  double time = measure([&](int) { good &= *choice.choose(args, 132) == 2; });
  EXPECT_EQ(allocationCount, before) << "a choice allocates";
  EXPECT_TRUE(good);
  std::printf("choice of the third plan: %.0f ns\n", time);
}
