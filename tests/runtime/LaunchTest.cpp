#include "runtime/Launch.h"
#include "FakeDriver.h"
#include "TestKernels.h"
#include "runtime/Kernel.h"
#include "runtime/TileCounters.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace tilewright;
using namespace tilewright::runtime;

/// An attention kernel on the fake driver, with good arguments that a test spoils.
class LaunchTest : public testing::Test {
protected:
  Kernel make(const KernelSource &source) {
    ErrorOr<Kernel> kernel = Kernel::fromCompiled(source, CompiledKernel{}, &driver);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return std::move(*kernel);
  }

  std::vector<Argument> args() const { return {q.ref(), k.ref(), scale, window}; }

  std::string failure(const KernelSource &source = attention()) {
    Status status = make(source).launch(nullptr, args());
    EXPECT_TRUE(fakeState().launches.empty());
    return status ? "no failure" : status.error().message;
  }

  const Driver &driver = fakeDriver();
  TestTensor q{{2, 256, 8, 64}}, k{{2, 512, 4, 64}};
  double scale = 0.5;
  int64_t window = 7;
};

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

TEST_F(LaunchTest, launches_that_may_run_at_once_count_tiles_apart) {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  fakeState().paramCount = source.params.size();
  Kernel kernel = make(source);
  auto counter = [&](uintptr_t stream, uint64_t graph = 0) {
    fakeState().capture = graph;
    EXPECT_TRUE(kernel.launch(reinterpret_cast<Stream>(stream), args()));
    return fakeState().launches.back().param<uint64_t>(source.params.size() - 1);
  };
  std::set<uint64_t> counters = {counter(0x70), counter(0x71), counter(0x70, /*graph=*/1),
                                 counter(0x71, 1), counter(0x70, 2)};
  EXPECT_EQ(counters.size(), 5u);
  for (uint64_t address : counters)
    EXPECT_EQ(address % sizeof(int32_t), 0u);
  EXPECT_EQ(counter(0x71), *std::next(counters.begin()));
  EXPECT_EQ(counter(0x70, 2), *counters.rbegin());
}

TEST_F(LaunchTest, there_are_only_so_many_tile_counters) {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  Kernel kernel = make(source);
  fakeState().record = false;
  Status status;
  for (uintptr_t stream = 0; status && stream <= TileCounters::kCounters; ++stream)
    status = kernel.launch(reinterpret_cast<Stream>(0x1000 + stream), args());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "kernel `attention`: with a tile queue it can be launched on 4096 streams and captured "
            "graphs; there are more");
}

TEST_F(LaunchTest, graphs_that_are_gone_give_their_tile_counters_back) {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  fakeState().paramCount = source.params.size();
  Kernel kernel = make(source);
  auto counter = [&](uint64_t graph) {
    fakeState().capture = graph;
    Status status = kernel.launch(reinterpret_cast<Stream>(0x70), args());
    EXPECT_TRUE(status) << status.error().message;
    fakeState().capture = 0;
    return fakeState().launches.back().param<uint64_t>(source.params.size() - 1);
  };
  uint64_t streams = counter(0), kept = counter(1);
  for (uint64_t graph = 2; graph < 2 * TileCounters::kCounters; ++graph) {
    uint64_t address = counter(graph);
    ASSERT_TRUE(address != streams && address != kept) << "they may run at once";
    EXPECT_EQ(counter(graph), address);
    fake::destroyGraph(graph);
  }
  EXPECT_EQ(counter(0), streams);
  EXPECT_EQ(counter(1), kept);
}

static KernelSource withSharedTiles() {
  KernelSource source = attention();
  source.params.push_back({.kind = ParamKind::Workspace, .name = "partials", .bytes = 4096});
  source.params.push_back({.kind = ParamKind::Flags, .name = "flags"});
  return source;
}

TEST_F(LaunchTest, graphs_may_outlive_their_kernel) {
  KernelSource source = withSharedTiles();
  source.params.push_back({.kind = ParamKind::TileCounter, .name = "tile_counter"});
  fakeState().paramCount = source.params.size();
  {
    Kernel kernel = make(source);
    ASSERT_TRUE(kernel.prepare());
    fakeState().capture = 1;
    ASSERT_TRUE(kernel.launch(nullptr, args()));
  }
  EXPECT_EQ(fakeState().userObjects.size(), 3u);
  fake::destroyGraph(1);
}

TEST_F(LaunchTest, blocks_of_a_launch_share_memory_of_the_runtimes) {
  Kernel kernel = make(withSharedTiles());
  fakeState().paramCount = 8;
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  ASSERT_EQ(fakeState().buffers.size(), 2u);
  const RecordedLaunch &launch = fakeState().launches[0];
  for (size_t i = 0; i < 2; ++i) {
    const RecordedBuffer &buffer = fakeState().buffers[i];
    EXPECT_EQ(launch.param<uint64_t>(6 + i), buffer.address);
    EXPECT_EQ(buffer.bytes, launch.config.gridDim[0] * (i == 0 ? 4096 : sizeof(int32_t)));
  }
  EXPECT_TRUE(fakeState().buffers[1].filled);
}

TEST_F(LaunchTest, launches_that_may_run_at_once_share_memory_within_each_only) {
  Kernel kernel = make(withSharedTiles());
  fakeState().paramCount = 8;
  auto memory = [&](uintptr_t stream, uint64_t graph = 0) {
    fakeState().capture = graph;
    Status status = kernel.launch(reinterpret_cast<Stream>(stream), args());
    EXPECT_TRUE(status) << status.error().message;
    const RecordedLaunch &launch = fakeState().launches.back();
    return std::pair(launch.param<uint64_t>(6), launch.param<uint64_t>(7));
  };
  auto first = memory(0x70), captured = memory(0x70, /*graph=*/1);
  std::set<uint64_t> apart = {first.first, first.second, captured.first, captured.second};
  EXPECT_EQ(apart.size(), 4u);
  EXPECT_EQ(memory(0x70), first);
  EXPECT_EQ(memory(0x70, 1), captured);
}

TEST_F(LaunchTest, reports_memory_that_cannot_be_had) {
  fakeState().freeBytes = 1000;
  EXPECT_EQ(failure(withSharedTiles()),
            "kernel `attention`: 32 blocks need 4096 bytes each to share tiles: cannot allocate "
            "131072 bytes on GPU 0 (1000 are free): no luck (CUDA_ERROR_TEST)");
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

TEST_F(LaunchTest, reports_the_number_of_arguments) {
  Kernel kernel = make(attention());
  std::vector<Argument> two = {q.ref(), k.ref()};
  EXPECT_EQ(kernel.launch(nullptr, two).error().message,
            "kernel `attention`: got 2 arguments but it takes 4 (q, k, scale, window)");
}

TEST_F(LaunchTest, reports_rank_and_element_type) {
  k.rank = 3;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` has rank 3 but the kernel expects rank 4 "
                       "(B, T, G, D)");
  k.rank = 4;
  k.type = ElementType::F32;
  EXPECT_EQ(failure(),
            "kernel `attention`: argument `k` has element type f32 but the kernel expects bf16");
}

TEST_F(LaunchTest, reports_dimensions_that_disagree) {
  k.shape[0] = 3;
  EXPECT_EQ(failure(),
            "kernel `attention`: dimension `B` is 2 in `q` (axis 0) but 3 in `k` (axis 0)");
  k.shape[0] = 2;
  q.shape[3] = k.shape[3] = 128;
  EXPECT_EQ(failure(),
            "kernel `attention`: dimension `D` of `q` (axis 3) is 128 but the kernel was "
            "compiled for 64");
  q.shape[3] = 64;
  q.shape[1] = -1;
  EXPECT_EQ(failure(), "kernel `attention`: the size of `q` (axis 1) is negative: -1");
}

TEST_F(LaunchTest, reports_addresses_it_cannot_use) {
  k.data = nullptr;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` has a null address");
  k.device = -1;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` is in host memory");
  k.data = q.data;
  k.device = 1;
  EXPECT_EQ(failure(), "kernel `attention`: argument `k` is on GPU 1 but `q` is on GPU 0");
  q.device = k.device = 5;
  EXPECT_EQ(failure(), "there is no GPU 5: the driver reports 2");
}

TEST_F(LaunchTest, reports_facts_that_do_not_hold) {
  q.data = reinterpret_cast<void *>(0x10008);
  EXPECT_EQ(failure(),
            "kernel `attention`: argument `q` is aligned to 8 bytes (address and strides) "
            "but the kernel was compiled for 16");
  q.data = k.data;
  q.strides[1] = 514;
  EXPECT_EQ(failure(),
            "kernel `attention`: argument `q` is aligned to 4 bytes (address and strides) "
            "but the kernel was compiled for 16");
  q.strides[1] = 512;
  q.strides[3] = 2;
  EXPECT_EQ(failure(), "kernel `attention`: argument `q` has stride 2 along its last axis but the "
                       "kernel was compiled for 1");
  q.strides[3] = 1;
  q.strides[0] = int64_t(1) << 31;
  EXPECT_EQ(failure(), "kernel `attention`: argument `q` has elements beyond offset 2147483647 but "
                       "the kernel was compiled for 32-bit offsets");
}

TEST_F(LaunchTest, reports_a_failed_assert_with_its_values) {
  q.shape[2] = 6;
  EXPECT_EQ(failure(), "kernel `attention`: query heads must be a multiple of key/value heads "
                       "(`H % G == 0`: `H` = 6, `G` = 4) at attention.py:9");
  k.shape[2] = 0;
  EXPECT_EQ(failure(),
            "kernel `attention`: query heads must be a multiple of key/value heads (`H % G == 0`: "
            "`H % G` divides by zero with `H` = 6, `G` = 0) at attention.py:9");
}

TEST_F(LaunchTest, reports_a_failed_assert_over_a_float) {
  auto refused = [](const std::string &value) {
    return "kernel `attention`: scale is positive (`scale > 0.0`: `scale` = " + value +
           ") at attention.py:10";
  };
  for (auto [value, text] : {std::pair(-0.1, "-0.1"), {0.0, "0.0"}, {std::nan(""), "nan"}}) {
    scale = value;
    EXPECT_EQ(failure(), refused(text));
  }
  scale = 1e-60; // 0 for the kernel, whose scale is an f32
  EXPECT_EQ(failure(), refused("0.0"));
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

TEST_F(LaunchTest, reports_scalars_of_the_wrong_kind) {
  Kernel kernel = make(attention());
  auto with = [&](Argument scale, Argument windowValue) {
    std::vector<Argument> list = {q.ref(), k.ref(), scale, windowValue};
    Status status = kernel.launch(nullptr, list);
    return status ? "no failure" : status.error().message;
  };
  EXPECT_EQ(with(1.0, 1.5), "kernel `attention`: argument `window` is the float 1.500000 but the "
                            "kernel expects an integer of type i32");
  EXPECT_EQ(with(1.0, int64_t(1) << 40), "kernel `attention`: argument `window` is 1099511627776, "
                                         "which does not fit in i32");
  EXPECT_EQ(with(true, int64_t(1)), "kernel `attention`: argument `scale` is a bool but the kernel "
                                    "expects a float of type f32");
  EXPECT_EQ(with(q.ref(), int64_t(1)), "kernel `attention`: argument `scale` is a tensor but the "
                                       "kernel expects a scalar of type f32");
  EXPECT_EQ(with(int64_t(1), int64_t(1)), "no failure");
}

TEST_F(LaunchTest, reports_grids_that_cannot_be_launched) {
  KernelSource source = attention();
  source.grid = *Expr::parse("S * 100000000");
  EXPECT_EQ(failure(source), "kernel `attention`: its grid `S * 100000000` is 25600000000; 0 to "
                             "2147483647 programs can be launched");
  source.grid = *Expr::parse("S - 1000");
  EXPECT_EQ(failure(source), "kernel `attention`: its grid `S - 1000` is -744; 0 to 2147483647 "
                             "programs can be launched");
  source.grid = *Expr::parse("S + 1");
  source.clusterSize = 2;
  EXPECT_EQ(failure(source),
            "kernel `attention`: its grid `S + 1` is 257, not a multiple of the cluster size 2");
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
  source.clusterSize = 4;
  Kernel kernel = make(source);
  for (int launch : {0, 1}) {
    ASSERT_TRUE(kernel.launch(nullptr, args()));
    EXPECT_EQ(fakeState().launches[size_t(launch)].config.gridDim[0], 120u);
  }
}

TEST_F(LaunchTest, the_kernel_may_ask_for_the_number_of_multiprocessors) {
  KernelSource source = attention();
  source.params.push_back(
      {.kind = ParamKind::Multiprocessors, .type = ElementType::I32, .name = "num_sms"});
  ErrorOr<LaunchPlan> plan = LaunchPlan::create(source);
  ASSERT_TRUE(plan) << plan.error().message;
  BoundLaunch bound = plan->makeBound();
  ASSERT_TRUE(plan->bindOnHost(args(), /*multiprocessors=*/17, bound));
  int32_t number = 0;
  std::memcpy(&number, bound.params.data() + plan->paramOffsets().back(), sizeof(number));
  EXPECT_EQ(number, 17);
}

static KernelSource withTensorMap() {
  KernelSource source = attention();
  source.params.insert(source.params.begin() + 1,
                       Param{.kind = ParamKind::TensorMap,
                             .argument = 1,
                             .name = "k_map",
                             .map = {{0, 1, 2, 3}, {1, 128, 1, 64}, TensorMapSwizzle::Bytes128}});
  return source;
}

TEST_F(LaunchTest, tensor_map_is_encoded_and_aligned) {
  ASSERT_TRUE(make(withTensorMap()).launch(nullptr, args()));
  ASSERT_EQ(fakeState().tensorMaps.size(), 1u);
  const RecordedTensorMap &map = fakeState().tensorMaps[0];
  EXPECT_EQ(map.sizes, (std::vector<uint64_t>{64, 4, 512, 2}));
  EXPECT_EQ(map.strideBytes, (std::vector<uint64_t>{128, 512, 512 * 512}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 1, 128, 1}));
  const RecordedLaunch &launch = fakeState().launches[0];
  EXPECT_EQ(launch.param<uint64_t>(1), 0xabcdu);
  EXPECT_EQ(launch.addresses[1] % alignof(TensorMap), 0u);
  EXPECT_EQ(launch.param<uint64_t>(2), 0x10000u);
}

TEST_F(LaunchTest, tensor_map_of_parts_ends_where_each_of_them_does) {
  KernelSource source = withTensorMap();
  source.params[1].map = {{1, 1, 1, 2, 3}, {1, 1, 128, 1, 64}, TensorMapSwizzle::Bytes128};
  ASSERT_TRUE(make(source).launch(nullptr, args()));
  const RecordedTensorMap &map = fakeState().tensorMaps.at(0);
  EXPECT_EQ(map.sizes, (std::vector<uint64_t>{64, 4, 1 << 30, 513, (1 << 30) + 1}));
  EXPECT_EQ(map.strideBytes, (std::vector<uint64_t>{128, 512, 512, (uint64_t(1) << 34) - 512}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 1, 128, 1, 1}));
  EXPECT_EQ(map.address, k.data);
  // Element 3 of the part that ends before 100 and has 30 of them.
  uint64_t back = uint64_t(1) << 30, place = back - 30 + 3, end = 100;
  EXPECT_EQ(place * 512 + end * 512 + back * map.strideBytes[3], uint64_t(73 * 512));
}

TEST_F(LaunchTest, tensor_map_that_rounds_says_so_by_its_type) {
  for (bool tf32 : {false, true}) {
    KernelSource source = withTensorMap();
    std::get<TensorArg>(source.args[1]).type = k.type = ElementType::F32;
    source.params[1].map.box = {1, 128, 1, 32};
    source.params[1].map.tf32 = tf32;
    ASSERT_TRUE(make(source).launch(nullptr, args()));
  }
  ASSERT_EQ(fakeState().tensorMaps.size(), 2u);
  EXPECT_EQ(fakeState().tensorMaps[0].dataType, 7);  // FLOAT32
  EXPECT_EQ(fakeState().tensorMaps[1].dataType, 11); // TFLOAT32
}

TEST_F(LaunchTest, tensor_map_of_single_elements_gets_strides_the_driver_accepts) {
  KernelSource source = withTensorMap();
  k.shape[0] = q.shape[0] = 1;
  k.strides[0] = 3;
  ASSERT_TRUE(make(source).launch(nullptr, args()));
  EXPECT_EQ(fakeState().tensorMaps[0].strideBytes, (std::vector<uint64_t>{128, 512, 512}));
}

TEST_F(LaunchTest, tensor_map_that_cannot_be_made_is_reported) {
  KernelSource source = withTensorMap();
  std::get<TensorArg>(source.args[1]).alignment = 1;
  k.strides[1] = 260;
  EXPECT_EQ(failure(source),
            "kernel `attention`: argument `k` has stride 260 along axis 1; a tensor "
            "map needs a multiple of 16 bytes");
}

TEST_F(LaunchTest, tensor_map_rules_are_checked_before_the_launch) {
  KernelSource source = withTensorMap();
  auto &expected = std::get<TensorArg>(source.args[1]);
  expected.alignment = 1;
  expected.unitInnerStride = expected.index32 = false;
  const std::string k_is = "kernel `attention`: argument `k` ";
  char *address = static_cast<char *>(k.data);
  k.data = address + 8;
  EXPECT_EQ(failure(source), k_is + "lies 8 bytes past a multiple of 16; a tensor map needs one");
  k.data = address;
  k.strides[3] = 2;
  EXPECT_EQ(failure(source),
            k_is + "has stride 2 along axis 3; the innermost axis of a tensor map needs 1");
  k.strides[3] = 1;
  k.strides[2] = -64;
  EXPECT_EQ(failure(source),
            k_is + "has stride -64 along axis 2; a tensor map needs a multiple of 16 bytes");
  k.strides[2] = 64;
  k.strides[0] = int64_t(1) << 40;
  EXPECT_EQ(failure(source), k_is +
                                 "has a stride of 2199023255552 bytes along axis 0; a tensor map "
                                 "needs less than 1099511627776");
  EXPECT_TRUE(fakeState().launches.empty());
}

TEST_F(LaunchTest, tensor_maps_that_no_tensor_can_have_are_refused) {
  auto reason = [](const std::function<void(TensorMapSpec &)> &spoil) {
    KernelSource source = withTensorMap();
    spoil(source.params[1].map);
    ErrorOr<LaunchPlan> plan = LaunchPlan::create(source);
    return plan ? "no failure" : plan.error().message;
  };
  const std::string map = "kernel `attention`: parameter `k_map` of argument `k` ";
  EXPECT_EQ(reason([](auto &m) { m.axes.clear(); }),
            map + "covers 0 axes; a tensor map has 1 to 5");
  EXPECT_EQ(reason([](auto &m) { m.box.pop_back(); }), map + "has a box of 3 axes for 4");
  EXPECT_EQ(reason([](auto &m) { m.axes[1] = 7; }), map + "covers axis 7 of 4");
  EXPECT_EQ(reason([](auto &m) { m.axes[1] = 3; }),
            map + "covers axis 3 2 times; parts along the innermost axis have no map");
  EXPECT_EQ(reason([](auto &m) {
              m.axes = {0, 1, 1, 1, 3};
              m.box = {1, 1, 1, 1, 64};
            }),
            map + "covers axis 1 3 times; 2 are for parts, and 1 leads back");
  EXPECT_EQ(reason([](auto &m) { m.box[1] = 257; }),
            map + "copies 257 elements along an axis; a box has 1 to 256");
  EXPECT_EQ(reason([](auto &m) { m.box[3] = 12; }),
            map + "copies rows of 24 bytes; a box needs a multiple of 16");
  EXPECT_EQ(reason([](auto &m) { m.box[3] = 128; }),
            map + "copies rows of 256 bytes; its swizzle allows 128");
  EXPECT_EQ(reason([](auto &m) { m.tf32 = true; }), map + "rounds to tf32, which only f32 can be");
}

TEST_F(LaunchTest, reports_the_drivers_refusal) {
  Kernel kernel = make(attention());
  fakeState().launchResult = 719;
  EXPECT_EQ(
      kernel.launch(nullptr, args()).error().message,
      "kernel `attention`: cannot launch 32 programs of 384 threads and 204800 bytes of shared "
      "memory: no luck (CUDA_ERROR_TEST)");
}

TEST_F(LaunchTest, shared_memory_that_does_not_fit_is_reported_before_loading) {
  KernelSource source = attention();
  source.sharedBytes = 1 << 20;
  EXPECT_EQ(failure(source),
            "kernel `attention`: needs 1048576 bytes of shared memory; `Fake GPU` has 232448");
  EXPECT_EQ(fakeState().moduleLoads, 0);
}

TEST_F(LaunchTest, contradictory_descriptions_are_refused) {
  auto reason = [](const std::function<void(KernelSource &)> &spoil) {
    KernelSource source = attention();
    spoil(source);
    ErrorOr<LaunchPlan> plan = LaunchPlan::create(source);
    return plan ? "no failure" : plan.error().message;
  };
  EXPECT_EQ(reason([](auto &s) { s.grid = Expr::name("X"); }),
            "kernel `attention`: `X` in `X` is neither a dimension nor a scalar argument");
  EXPECT_EQ(reason([](auto &s) { s.params[2].name = "X"; }),
            "kernel `attention`: parameter `X` names no dimension");
  EXPECT_EQ(reason([](auto &s) { s.params[0].argument = 2; }),
            "kernel `attention`: parameter `q` takes an address from a scalar");
  EXPECT_EQ(reason([](auto &s) { s.args.push_back(ScalarArg{"B", ElementType::I32}); }),
            "kernel `attention`: `B` is declared twice");
  EXPECT_EQ(reason([](auto &s) {
              s.params.push_back({.kind = ParamKind::Workspace, .name = "space", .bytes = 24});
            }),
            "kernel `attention`: parameter `space` has 24 bytes per block; a workspace has a "
            "multiple of 16");
  for (ParamKind kind : {ParamKind::TileCounter, ParamKind::Workspace, ParamKind::Flags})
    EXPECT_EQ(reason([kind](auto &s) {
                s.params.resize(8, {.kind = kind, .name = "again", .bytes = 16});
              }),
              "kernel `attention`: parameter `again` is the second of its kind; a kernel has at "
              "most one");
  EXPECT_EQ(reason([](auto &s) { s.threads = 2048; }),
            "kernel `attention`: 2048 threads per program; 1 to 1024 can be launched");
}
