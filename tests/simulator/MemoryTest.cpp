#include "tests/simulator/Harness.h"

#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class MemoryTest : public testing::Test {
protected:
  bool errorsHave(const std::string &text) {
    return harness.errors.find(text) != std::string::npos;
  }
  Harness harness;
};

static const char *const kShift = R"(
func.func @shift(%a: !tile.view<?xf32> {tile.name = "a"}, %o: !tile.view<4xf32> {tile.name = "o"},
                 %at: i32, %fill: f32) attributes {tile.kernel} {
  tile.grid []
  %z = arith.constant 0 : i32
  %t = tile.load %a[%at] extents [4] fill %fill : f32 : !tile.view<?xf32>, i32 -> tensor<4xf32>
  tile.store %t, %o[%z] extents [4] : tensor<4xf32>, !tile.view<4xf32>, i32
  return
})";

TEST_F(MemoryTest, fillsOutsideTheView) {
  Array &a = harness.array("f32", {1, 2, 3, 4, 5}), &o = harness.zeros("f32", 4);
  auto shift = [&](int64_t at) {
    EXPECT_TRUE(harness.run(kShift, {makeView(a.buffer, {5}), makeView(o.buffer, {4}), at, 9.0}))
        << harness.errors;
    return o.values();
  };
  EXPECT_EQ(shift(1), Values({2, 3, 4, 5}));
  EXPECT_EQ(shift(3), Values({4, 5, 9, 9}));
  EXPECT_EQ(shift(-1), Values({9, 1, 2, 3}));
  EXPECT_EQ(shift(-9), Values({9, 9, 9, 9}));
  EXPECT_EQ(shift(99), Values({9, 9, 9, 9}));
  EXPECT_EQ(shift(2147483647), Values({9, 9, 9, 9}));
}

TEST_F(MemoryTest, readsStridedAndReversedViews) {
  Array &a = harness.array("f32", {0, 1, 2, 3, 4, 5, 6, 7}), &o = harness.zeros("f32", 4);
  ViewValue view{&a.buffer, 1, {4}, {2}};
  EXPECT_TRUE(harness.run(kShift, {view, makeView(o.buffer, {4}), int64_t(0), 9.0}));
  EXPECT_EQ(o.values(), Values({1, 3, 5, 7}));
  view = {&a.buffer, 7, {4}, {-1}};
  EXPECT_TRUE(harness.run(kShift, {view, makeView(o.buffer, {4}), int64_t(0), 9.0}));
  EXPECT_EQ(o.values(), Values({7, 6, 5, 4}));
}

TEST_F(MemoryTest, reportsAnAddressOutsideTheAllocation) {
  Array &a = harness.array("f32", {1, 2, 3}), &o = harness.zeros("f32", 4);
  EXPECT_FALSE(
      harness.run(kShift, {makeView(a.buffer, {8}), makeView(o.buffer, {4}), int64_t(1), 0.0}));
  EXPECT_TRUE(errorsHave("6: reaches element 4 of `a`, whose allocation holds 3"))
      << harness.errors;
}

TEST_F(MemoryTest, reportsAReadOfUninitializedMemory) {
  Array &a = harness.array("f32", {1, 2, 3, 4}), &o = harness.zeros("f32", 4);
  a.buffer.initialized = false;
  std::vector<Argument> arguments = {makeView(a.buffer, {4}), makeView(o.buffer, {4}), int64_t(2),
                                     0.0};
  EXPECT_FALSE(harness.run(kShift, arguments));
  EXPECT_TRUE(errorsHave("6: reads element 2 of `a`, which is uninitialized and was not written by "
                         "this program"))
      << harness.errors;
  Options options;
  options.poison = false;
  EXPECT_TRUE(harness.run(kShift, arguments, options));
}

TEST_F(MemoryTest, readsBackWhatTheProgramWrote) {
  Array &a = harness.zeros("f32", 4), &o = harness.zeros("f32", 4);
  a.buffer.initialized = false;
  EXPECT_TRUE(harness.run(R"(
func.func @f(%a: !tile.view<4xf32>, %o: !tile.view<4xf32>) attributes {tile.kernel} {
  tile.grid []
  %z = arith.constant 0 : i32
  %k = arith.constant dense<2.5> : tensor<4xf32>
  tile.store %k, %a[%z] extents [4] : tensor<4xf32>, !tile.view<4xf32>, i32
  %t = tile.load %a[%z] extents [4] : !tile.view<4xf32>, i32 -> tensor<4xf32>
  tile.store %t, %o[%z] extents [4] : tensor<4xf32>, !tile.view<4xf32>, i32
  return
})",
                          {makeView(a.buffer, {4}), makeView(o.buffer, {4})}))
      << harness.errors;
  EXPECT_EQ(o.values(), Values(4, 2.5));
}

TEST_F(MemoryTest, gathersRowsAndIgnoresIndicesOutside) {
  Array &a = harness.array("bf16", {0, 1, 10, 11, 20, 21}),
        &i = harness.array("i32", {2, -1, 0, 3});
  Array &o = harness.zeros("bf16", 8);
  EXPECT_TRUE(harness.run(
      R"(
func.func @f(%a: !tile.view<?x2xbf16>, %i: !tile.view<4xi32>, %o: !tile.view<4x2xbf16>)
    attributes {tile.kernel} {
  tile.grid []
  %z = arith.constant 0 : i32
  %n = tile.load %i[%z] extents [4] : !tile.view<4xi32>, i32 -> tensor<4xi32>
  %t = tile.load %a[%n, %z] extents [-1, 2]
      : !tile.view<?x2xbf16>, tensor<4xi32>, i32 -> tensor<4x2xbf16>
  tile.store %t, %o[%z, %z] extents [4, 2] : tensor<4x2xbf16>, !tile.view<4x2xbf16>, i32, i32
  return
})",
      {makeView(a.buffer, {3, 2}), makeView(i.buffer, {4}), makeView(o.buffer, {4, 2})}))
      << harness.errors;
  EXPECT_EQ(o.values(), Values({20, 21, 0, 0, 0, 1, 0, 0}));
}

TEST_F(MemoryTest, scattersAlongTheLastAxis) {
  Array &i = harness.array("i32", {3, 0, -2, 9}), &o = harness.array("i32", {7, 7, 7, 7});
  EXPECT_TRUE(harness.run(R"(
func.func @f(%i: !tile.view<4xi32>, %o: !tile.view<1x4xi32>) attributes {tile.kernel} {
  tile.grid []
  %z = arith.constant 0 : i32
  %n = tile.load %i[%z] extents [4] : !tile.view<4xi32>, i32 -> tensor<4xi32>
  tile.store %n, %o[%z, %n] extents [0, -1]
      : tensor<4xi32>, !tile.view<1x4xi32>, i32, tensor<4xi32>
  return
})",
                          {makeView(i.buffer, {4}), makeView(o.buffer, {1, 4})}))
      << harness.errors;
  EXPECT_EQ(o.values(), Values({0, 7, 7, 3}));
}

TEST_F(MemoryTest, movesScalars) {
  Array &a = harness.array("i8", {5, -6}), &o = harness.array("i8", {1, 2});
  std::string text = R"(
func.func @f(%a: !tile.view<2xi8>, %o: !tile.view<2xi8>, %from: i32) attributes {tile.kernel} {
  tile.grid []
  %z = arith.constant 0 : i32
  %s = tile.load %a[%from] extents [0] : !tile.view<2xi8>, i32 -> i8
  tile.store %s, %o[%z] extents [0] : i8, !tile.view<2xi8>, i32
  return
})";
  EXPECT_TRUE(harness.run(text, {makeView(a.buffer, {2}), makeView(o.buffer, {2}), int64_t(1)}));
  EXPECT_EQ(o.values(), Values({-6, 2}));
  EXPECT_TRUE(harness.run(text, {makeView(a.buffer, {2}), makeView(o.buffer, {2}), int64_t(-1)}));
  EXPECT_EQ(o.values(), Values({0, 2}));
}

static std::string atomic(const std::string &kind, const std::string &type) {
  return "func.func @f(%a: !tile.view<3x" + type + ">, %o: !tile.view<3x" + type +
         ">) attributes {tile.kernel} {\n %n = arith.constant 8 : i32\n tile.grid [%n]\n"
         "%z = arith.constant -1 : i32\n%t = tile.load %a[%z] extents [4] : !tile.view<3x" +
         type + ">, i32 -> tensor<4x" + type + ">\n tile.atomic " + kind +
         " %t, %o[%z] extents [4] : tensor<4x" + type + ">, !tile.view<3x" + type +
         ">, i32\n return\n}";
}

TEST_F(MemoryTest, updatesAtomically) {
  auto update = [&](const std::string &kind, const std::string &type) {
    Array &a = harness.array(type, {1, -2, 3}), &o = harness.array(type, {1, 1, 1});
    EXPECT_TRUE(harness.run(atomic(kind, type), {makeView(a.buffer, {3}), makeView(o.buffer, {3})}))
        << harness.errors;
    return o.values();
  };
  EXPECT_EQ(update("add", "f32"), Values({9, -15, 25}));
  EXPECT_EQ(update("add", "i32"), Values({9, -15, 25}));
  EXPECT_EQ(update("add", "bf16"), Values({9, -15, 25}));
  EXPECT_EQ(update("max", "i32"), Values({1, 1, 3}));
  EXPECT_EQ(update("min", "f32"), Values({1, -2, 1}));
}

TEST_F(MemoryTest, refusesAnAtomicWithoutMeaning) {
  Array &a = harness.zeros("f16", 3), &o = harness.zeros("f16", 3);
  EXPECT_FALSE(
      harness.run(atomic("max", "f16"), {makeView(a.buffer, {3}), makeView(o.buffer, {3})}));
  EXPECT_TRUE(errorsHave("cannot `max` elements of 'f16'")) << harness.errors;
}

} // namespace tilewright::simulator
