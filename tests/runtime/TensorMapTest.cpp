// Tensor maps: what is asked of the driver, and which cannot be made.
#include "LaunchTest.h"

#include "runtime/TensorMaps.h"

#include <functional>

using namespace tilewright;
using namespace tilewright::runtime;

using TensorMapTest = LaunchTest;

static KernelSource withTensorMap() {
  KernelSource source = attention();
  source.params.insert(source.params.begin() + 1,
                       Param{.kind = ParamKind::TensorMap,
                             .argument = 1,
                             .name = "k_map",
                             .map = {{0, 1, 2, 3}, {1, 128, 1, 64}, TensorMapSwizzle::Bytes128}});
  return source;
}

TEST_F(TensorMapTest, is_encoded_and_aligned) {
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

TEST_F(TensorMapTest, of_parts_ends_where_each_of_them_does) {
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

TEST_F(TensorMapTest, that_rounds_says_so_by_its_type) {
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

TEST_F(TensorMapTest, of_single_elements_gets_strides_the_driver_accepts) {
  KernelSource source = withTensorMap();
  k.shape[0] = q.shape[0] = 1;
  k.strides[0] = 3;
  ASSERT_TRUE(make(source).launch(nullptr, args()));
  EXPECT_EQ(fakeState().tensorMaps[0].strideBytes, (std::vector<uint64_t>{128, 512, 512}));
}

TEST_F(TensorMapTest, that_cannot_be_made_is_reported) {
  KernelSource source = withTensorMap();
  std::get<TensorArg>(source.args[1]).alignment = 1;
  k.strides[1] = 260;
  EXPECT_EQ(failure(source),
            "kernel `attention`: argument `k` has stride 260 along axis 1; a tensor "
            "map needs a multiple of 16 bytes");
}

TEST_F(TensorMapTest, rules_are_checked_before_the_launch) {
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
  k.shape[1] = (int64_t(1) << 32) + 1;
  EXPECT_EQ(failure(source),
            k_is + "has 4294967297 elements along axis 1; a tensor map allows 4294967296");
  k.shape[1] = 512;
  k.strides[0] = int64_t(1) << 40;
  EXPECT_EQ(failure(source), k_is +
                                 "has a stride of 2199023255552 bytes along axis 0; a tensor map "
                                 "needs less than 1099511627776");
  EXPECT_TRUE(fakeState().launches.empty());
}

TEST_F(TensorMapTest, that_is_stored_needs_rows_of_whole_chunks) {
  Driver driver = *Driver::fromTable(fakeTable());
  TensorMapSpec spec = withTensorMap().params[1].map;
  k.shape[3] = 60;
  TensorMap map;
  EXPECT_TRUE(encodeTensorMap(driver, k.ref(), spec, map));
  spec.isStored = true;
  EXPECT_EQ(encodeTensorMap(driver, k.ref(), spec, map).error().message,
            "has rows of 120 bytes; TMA stores multiples of 16, and would write zeros behind the "
            "rows");
  k.shape[3] = 56;
  EXPECT_TRUE(encodeTensorMap(driver, k.ref(), spec, map));
}

TEST_F(TensorMapTest, needs_a_driver_that_makes_them) {
  DriverTable table = fakeTable();
  table.tensorMapEncodeTiled = nullptr;
  Driver old = *Driver::fromTable(table);
  Kernel kernel = *Kernel::fromCompiled(withTensorMap(), CompiledKernel{}, &old);
  EXPECT_EQ(kernel.launch(nullptr, args()).error().message,
            "kernel `attention`: argument `k` needs a tensor map; the CUDA driver is older than "
            "12.0 and cannot make one");
}

TEST_F(TensorMapTest, that_no_tensor_can_have_is_refused) {
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
