#include "tests/simulator/Harness.h"

#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class SubviewTest : public testing::Test {
protected:
  bool errorsHave(const std::string &text) {
    return harness.errors.find(text) != std::string::npos;
  }
  Harness harness;
};

/// Four elements of a part of %a from %at on go to %o, and 7 to a part of %s.
static const char *const kPart = R"(
func.func @part(%a: !tile.view<?xf32> {tile.name = "a"}, %o: !tile.view<4xf32> {tile.name = "o"},
                %s: !tile.view<?xf32> {tile.name = "s"}, %start: i32, %size: i32, %at: i32,
                %fill: f32) attributes {tile.kernel} {
  tile.grid []
  %z = arith.constant 0 : i32
  %seven = arith.constant dense<7.0> : tensor<4xf32>
  %p = tile.subview %a, 0 from %start size %size : !tile.view<?xf32> -> !tile.view<?xf32>
  %t = tile.load %p[%at] extents [4] fill %fill : f32 : !tile.view<?xf32>, i32 -> tensor<4xf32>
  tile.store %t, %o[%z] extents [4] : tensor<4xf32>, !tile.view<4xf32>, i32
  %q = tile.subview %s, 0 from %start size %size : !tile.view<?xf32> -> !tile.view<?xf32>
  tile.store %seven, %q[%at] extents [4] : tensor<4xf32>, !tile.view<?xf32>, i32
  return
})";

TEST_F(SubviewTest, endsWhereThePartDoes) {
  Array &a = harness.array("f32", {1, 2, 3, 4, 5, 6}), &o = harness.zeros("f32", 4);
  auto part = [&](int64_t start, int64_t size, int64_t at) {
    Array &s = harness.zeros("f32", 6);
    EXPECT_TRUE(harness.run(kPart, {makeView(a.buffer, {6}), makeView(o.buffer, {4}),
                                    makeView(s.buffer, {6}), start, size, at, 9.0}))
        << harness.errors;
    Values values = o.values(), stored = s.values();
    values.insert(values.end(), stored.begin(), stored.end());
    return values;
  };
  EXPECT_EQ(part(1, 3, 0), Values({2, 3, 4, 9, 0, 7, 7, 7, 0, 0}));
  EXPECT_EQ(part(1, 3, -2), Values({9, 9, 2, 3, 0, 7, 7, 0, 0, 0}));
  EXPECT_EQ(part(1, 3, 2), Values({4, 9, 9, 9, 0, 0, 0, 7, 0, 0}));
  EXPECT_EQ(part(2, 0, 0), Values({9, 9, 9, 9, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(part(6, 0, -3), Values({9, 9, 9, 9, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(part(5, 1, 2147483647), Values({9, 9, 9, 9, 0, 0, 0, 0, 0, 0}));
}

TEST_F(SubviewTest, reportsAPartThatIsNone) {
  Array &a = harness.zeros("f32", 6), &o = harness.zeros("f32", 4);
  auto fails = [&](int64_t start, int64_t size, const char *message) {
    harness.errors.clear();
    EXPECT_FALSE(harness.run(kPart, {makeView(a.buffer, {6}), makeView(o.buffer, {4}),
                                     makeView(a.buffer, {6}), start, size, int64_t(0), 9.0}));
    EXPECT_TRUE(errorsHave(message)) << harness.errors;
  };
  fails(-1, 2, "takes 2 from -1 on, of 6");
  fails(2, -1, "takes -1 from 2 on, of 6");
  fails(4, 3, "takes 3 from 4 on, of 6");
}

TEST_F(SubviewTest, nests) {
  const char *text = R"(
func.func @nests(%a: !tile.view<?x?xf32> {tile.name = "a"}, %o: !tile.view<4x4xf32> {tile.name = "o"},
                 %n: !tile.view<2xi32> {tile.name = "n"}) attributes {tile.kernel} {
  tile.grid []
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %p = tile.subview %a, 0 from %c1 size %c3 : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %q = tile.subview %p, 1 from %c2 size %c2 : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %r = tile.subview %q, 0 from %c1 size %c2 : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %t = tile.load %r[%c0, %c0] extents [4, 4] : !tile.view<?x?xf32>, i32, i32 -> tensor<4x4xf32>
  tile.store %t, %o[%c0, %c0] extents [4, 4] : tensor<4x4xf32>, !tile.view<4x4xf32>, i32, i32
  %rows = tile.dim %r, 0 : !tile.view<?x?xf32>
  %columns = tile.dim %r, 1 : !tile.view<?x?xf32>
  tile.store %rows, %n[%c0] extents [0] : i32, !tile.view<2xi32>, i32
  tile.store %columns, %n[%c1] extents [0] : i32, !tile.view<2xi32>, i32
  return
})";
  Values numbers(30);
  for (int i = 0; i < 30; ++i)
    numbers[i] = 10 * (i / 6) + i % 6;
  Array &a = harness.array("f32", numbers), &o = harness.zeros("f32", 16);
  Array &n = harness.array("i32", {0, 0});
  ASSERT_TRUE(harness.run(
      text, {makeView(a.buffer, {5, 6}), makeView(o.buffer, {4, 4}), makeView(n.buffer, {2})}))
      << harness.errors;
  EXPECT_EQ(o.values(), Values({22, 23, 0, 0, 32, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(n.values(), Values({2, 2}));
}

} // namespace tilewright::simulator
