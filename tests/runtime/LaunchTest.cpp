#include "LaunchTest.h"

using namespace tilewright;
using namespace tilewright::runtime;

TEST_F(LaunchTest, packs_parameters_and_grid) {
  Kernel kernel = make(attention());
  auto stream = reinterpret_cast<Stream>(0x77);
  q.data = reinterpret_cast<void *>(0x40);
  Status status = kernel.launch(stream, args());
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_EQ(fakeState().launches.size(), 1u);
  const RecordedLaunch &launch = fakeState().launches[0];
  EXPECT_EQ(launch.config.gridDim[0], 2u * 8 * 2);
  EXPECT_EQ(launch.config.blockDim[0], 384u);
  EXPECT_EQ(launch.config.sharedBytes, 200u * 1024);
  EXPECT_EQ(launch.config.stream, stream);
  EXPECT_EQ(launch.param<uint64_t>(0), 0x40u);
  EXPECT_EQ(launch.param<uint64_t>(1), 0x10000u);
  EXPECT_EQ(launch.param<int32_t>(2), 256);
  EXPECT_EQ(launch.param<int64_t>(3), 8 * 64);
  EXPECT_EQ(launch.param<float>(4), 0.5f);
  EXPECT_EQ(launch.param<int32_t>(5), 7);
}

TEST_F(LaunchTest, loads_once_per_device_and_enters_its_context) {
  Kernel kernel = make(attention());
  ASSERT_TRUE(kernel.prepare(1));
  q.device = k.device = 1;
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  EXPECT_EQ(fakeState().moduleLoads, 1);
  EXPECT_EQ(fakeState().launches[1].context, fake::contextOf(1));
  EXPECT_EQ(fakeState().current, nullptr);
}

TEST_F(LaunchTest, sees_every_change_of_an_argument) {
  Kernel kernel = make(attention());
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  q.data = reinterpret_cast<void *>(0x20000);
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  EXPECT_EQ(fakeState().launches[2].param<uint64_t>(0), 0x20000u);
  q.strides[1] = 1024, q.strides[0] = 1024 * 256;
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  EXPECT_EQ(fakeState().launches[3].param<int64_t>(3), 1024);
  window = 9;
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  EXPECT_EQ(fakeState().launches[4].param<int32_t>(5), 9);
  q.shape[1] = 129;
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  EXPECT_EQ(fakeState().launches[5].param<int32_t>(2), 129);
  q.type = ElementType::F16;
  EXPECT_FALSE(kernel.launch(nullptr, args()));
  q.type = ElementType::BF16;
  EXPECT_TRUE(kernel.launch(nullptr, args()));
}

TEST_F(LaunchTest, no_programs_are_no_launch) {
  q.shape[0] = k.shape[0] = 0;
  q.data = k.data = nullptr;
  EXPECT_EQ(failure(), "no failure");
}

TEST_F(LaunchTest, empty_tensor_may_have_no_address) {
  k.shape[1] = 0;
  k.data = nullptr;
  EXPECT_TRUE(make(attention()).launch(nullptr, args()));
  EXPECT_EQ(fakeState().launches.size(), 1u);
}

TEST_F(LaunchTest, asserts_see_floats_as_the_kernel_does) {
  KernelSource source = attention();
  auto check = [&](ElementType type, double value, const char *condition) {
    std::get<ScalarArg>(source.args[2]).type = source.params[4].type = type;
    source.checks = {{*Expr::parse(condition), "", ""}};
    scale = value;
    fakeState().record = false;
    EXPECT_TRUE(make(source).launch(nullptr, args())) << condition;
  };
  check(ElementType::F32, 0.1, "scale == 0.1");
  check(ElementType::F16, 0.1, "scale == 0.099975586");
  check(ElementType::F16, -6e-8, "scale == -5.9604645e-08"); // the smallest
  check(ElementType::BF16, 0.1, "scale == 0.100097656");
  check(ElementType::F16, 1e6, "scale == inf");
}

TEST_F(LaunchTest, grid_may_depend_on_the_gpu_and_attributes_are_passed) {
  KernelSource source = attention();
  source.grid = *Expr::parse("min(cdiv(S, 2) * H, num_sms)");
  source.clusterSize = 2;
  source.dependentLaunch = true;
  ASSERT_TRUE(make(source).launch(nullptr, args()));
  const RecordedLaunch &launch = fakeState().launches[0];
  EXPECT_EQ(launch.config.gridDim[0], 132u);
  ASSERT_EQ(launch.attributes.size(), 2u);
  EXPECT_EQ(launch.attributes[0].clusterDim[0], 2u);
  EXPECT_EQ(launch.attributes[1].flag, 1);
}

TEST_F(LaunchTest, blocks_of_large_clusters_are_as_many_as_run_at_once) {
  KernelSource source = attention();
  source.grid = *Expr::parse("min(cdiv(S, 2) * H, num_sms)");
  for (unsigned size : {4u, 8u}) { // of which 132 is no multiple of the latter
    source.clusterSize = size;
    Kernel kernel = make(source);
    for (int launch : {0, 1}) {
      ASSERT_TRUE(kernel.launch(nullptr, args())) << launch;
      EXPECT_EQ(fakeState().launches.back().config.gridDim[0], 120u);
    }
  }
}

static Param number(const char *name, const char *value) {
  return {.kind = ParamKind::Number,
          .type = ElementType::I32,
          .name = name,
          .value = *Expr::parse(value)};
}

TEST_F(LaunchTest, numbers_follow_from_sizes_multiprocessors_programs_and_numbers_before) {
  KernelSource source = attention();
  source.grid = *Expr::parse("min(cdiv(S, 2) * H, num_sms)");
  source.params.push_back(number("tiles", "cdiv(S, 2) * H"));
  source.params.push_back(number("rounds", "cdiv(tiles, num_programs)"));
  source.params.push_back(number("reciprocal", "4294967295 // max(num_sms - 16, 1)"));
  ErrorOr<LaunchPlan> plan = LaunchPlan::create(source);
  ASSERT_TRUE(plan) << plan.error().message;
  BoundLaunch bound = plan->makeBound();
  ASSERT_TRUE(plan->bindOnHost(args(), /*multiprocessors=*/17, bound));
  auto value = [&](size_t fromEnd) {
    int32_t number = 0;
    const auto &offsets = plan->paramOffsets();
    std::memcpy(&number, bound.params.data() + offsets[offsets.size() - fromEnd], sizeof(number));
    return number;
  };
  EXPECT_EQ(value(3), 128 * 8);
  EXPECT_EQ(value(2), 61); // of 17 programs
  EXPECT_EQ(value(1), -1); // as 32 bits
}

TEST_F(LaunchTest, numbers_beyond_64_bits_refuse_the_launch) {
  KernelSource source = attention();
  source.params.push_back(number("power", "S * S * S * S * S * S * S * S"));
  ErrorOr<LaunchPlan> plan = LaunchPlan::create(source);
  ASSERT_TRUE(plan) << plan.error().message;
  BoundLaunch bound = plan->makeBound();
  Status status = plan->bindOnHost(args(), /*multiprocessors=*/17, bound);
  ASSERT_FALSE(status);
  EXPECT_TRUE(
      status.error().message.starts_with("kernel `attention`: cannot compute parameter `power`: "))
      << status.error().message;
}

TEST_F(LaunchTest, numbers_use_no_numbers_behind_them) {
  KernelSource source = attention();
  source.params.push_back(number("rounds", "cdiv(tiles, 2)"));
  source.params.push_back(number("tiles", "S * H"));
  EXPECT_EQ(LaunchPlan::create(source).error().message,
            "kernel `attention`: `tiles` in `cdiv(tiles, 2)` is neither a dimension nor a scalar "
            "argument");
  source.params.pop_back();
  source.params.back() = number("S", "H * 2");
  EXPECT_EQ(LaunchPlan::create(source).error().message,
            "kernel `attention`: `S` is declared twice");
}
