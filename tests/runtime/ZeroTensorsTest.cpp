// Tensors that a launch sets to 0: each element, and no other.
#include "runtime/ZeroTensors.h"
#include "LaunchTest.h"

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

std::vector<ZeroedRows> rowsOf(const TestTensor &tensor) {
  std::vector<ZeroedRows> rows;
  addRows(tensor.ref(), rows);
  return rows;
}

constexpr DeviceAddress kStart = 0x10000;

using ZeroTensorsTest = LaunchTest;

} // namespace

TEST(ZeroTensors, elements_side_by_side_are_one_piece) {
  TestTensor tensor({2, 3, 4, 8});
  auto *start = static_cast<std::byte *>(tensor.data);
  EXPECT_EQ(rowsOf(tensor), (std::vector<ZeroedRows>{{start, 384, 384, 1}}));
  tensor.strides = {8, 64, 16, 1}; // transposed: [3, 4, 2, 8] side by side
  EXPECT_EQ(rowsOf(tensor), (std::vector<ZeroedRows>{{start, 384, 384, 1}}));
  tensor.shape[1] = 0;
  EXPECT_EQ(rowsOf(tensor), std::vector<ZeroedRows>());
}

// Gaps between rows, between planes; axes that run backwards, repeat, or have one element.
TEST(ZeroTensors, of_any_strides_every_element_is_set_and_no_other) {
  constexpr std::array<int64_t, 4> kStrides[] = {
      {1000, 100, 20, 1}, {1000, 96, 12, 1}, {1, 300, 40, 4},     {1000, 100, -20, 1},
      {1000, 0, 20, -2},  {400, 100, 9, 1},  {1000, 100, 777, 1}, {3, 100, 20, 1}};
  for (ElementType type : {ElementType::U8, ElementType::BF16, ElementType::F32})
    for (auto strides : kStrides)
      for (std::array<int64_t, 4> shape : {std::array<int64_t, 4>{2, 3, 4, 3}, {1, 3, 1, 3}}) {
        const size_t bytes = bytesOf(type);
        std::vector<std::byte> memory(8192 * bytes, std::byte(1)), expected = memory;
        TestTensor tensor(shape, type);
        tensor.strides = strides;
        const size_t first = 2000;
        tensor.data = memory.data() + first * bytes;
        for (int64_t i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; ++i) {
          int64_t rest = i, offset = int64_t(first);
          for (size_t axis = 4; axis-- > 0; rest /= shape[axis])
            offset += rest % shape[axis] * strides[axis];
          std::fill_n(expected.data() + size_t(offset) * bytes, bytes, std::byte(0));
        }
        zeroRowsOnHost(rowsOf(tensor));
        EXPECT_EQ(memory, expected) << nameOf(type) << ' ' << strides[0] << ' ' << strides[1] << ' '
                                    << strides[2] << ' ' << strides[3];
      }
}

TEST_F(ZeroTensorsTest, are_set_before_each_launch_on_their_gpu) {
  KernelSource source = attention();
  std::get<TensorArg>(source.args[1]).zeroing = Zeroing::BeforeLaunch;
  q.device = k.device = 1;
  Kernel kernel = make(source);
  for (size_t launches = 1; launches <= 2; ++launches) {
    ASSERT_TRUE(kernel.launch(nullptr, args()));
    EXPECT_EQ(fakeState().launches.size(), launches);
    size_t bytes = 2 * 512 * 4 * 64 * 2;
    EXPECT_EQ(fakeState().memsets,
              std::vector<RecordedMemset>(launches, {kStart, bytes, bytes, 1, fake::contextOf(1)}));
  }
}

TEST_F(ZeroTensorsTest, rows_with_gaps_are_set_row_by_row) {
  KernelSource source = attention();
  std::get<TensorArg>(source.args[1]).zeroing = Zeroing::BeforeLaunch;
  k.strides = {512 * 512, 512, 128, 1};
  ASSERT_TRUE(make(source).launch(nullptr, args()));
  EXPECT_EQ(fakeState().memsets,
            (std::vector<RecordedMemset>{{kStart, 256, 128, 4096, fake::contextOf(0)}}));
}

TEST_F(ZeroTensorsTest, what_the_kernel_stores_is_set_where_there_are_no_programs) {
  KernelSource source = attention();
  std::get<TensorArg>(source.args[1]).zeroing = Zeroing::WithoutPrograms;
  Kernel kernel = make(source);
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  EXPECT_TRUE(fakeState().memsets.empty());
  q.shape[1] = 0;
  ASSERT_TRUE(kernel.launch(nullptr, args()));
  EXPECT_EQ(fakeState().launches.size(), 1u);
  EXPECT_EQ(fakeState().memsets.size(), 1u);
}
