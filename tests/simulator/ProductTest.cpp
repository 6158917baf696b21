// Products and the arithmetic of the cta level in the reference interpreter.
#include "tests/simulator/Harness.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class ProductTest : public testing::Test {
protected:
  /// y[2, 2] by a body over tiles of x: %a, 2x3 or 3x2 as the view's columns say, and %b likewise,
  /// both also in slots (%as, %bs).
  Values product(const std::string &element, int64_t aColumns, Values a, int64_t bColumns, Values b,
                 const std::string &body) {
    Array &left = harness.array(element, a), &right = harness.array(element, b);
    Array &out = harness.zeros("f32", 4);
    auto shape = [](int64_t columns) {
      return std::to_string(6 / columns) + "x" + std::to_string(columns) + "x";
    };
    auto load = [&](const std::string &name, const std::string &type, const std::string &extents) {
      return "%" + name + "_ring = cta.channel cp_async : !cta.channel<1 x tensor<" + type +
             ">>\n%" + name + "_open = cta.acquire %" + name + "_ring : !cta.channel<1 x tensor<" +
             type + ">> -> !cta.slot<tensor<" + type + ">>\ncta.copy %" + name +
             "_view[%c0, %c0] extents [" + extents + "], %" + name + "_open : !tile.view<" + type +
             ">, !cta.slot<tensor<" + type + ">>\ncta.commit %" + name +
             "_open : !cta.slot<tensor<" + type + ">>\n%" + name + " = cta.wait %" + name +
             "_ring : !cta.channel<1 x tensor<" + type + ">> -> !cta.slot<tensor<" + type + ">>\n";
    };
    std::string typeA = shape(aColumns) + element, typeB = shape(bColumns) + element;
    auto extents = [](int64_t columns) {
      return std::to_string(6 / columns) + ", " + std::to_string(columns);
    };
    harness.run("!a = !cta.slot<tensor<" + typeA + ">>\n!b = !cta.slot<tensor<" + typeB +
                    ">>\n!sum = !cta.pending<tensor<2x2xf32>>\n!acc = tensor<2x2xf32>\n"
                    "func.func @f(%a_view: !tile.view<" +
                    typeA + ">, %b_view: !tile.view<" + typeB +
                    ">, %y: !tile.view<2x2xf32>) attributes {tile.kernel} {\ntile.grid []\n"
                    "%c0 = arith.constant 0 : i32\n" +
                    load("a", typeA, extents(aColumns)) + load("b", typeB, extents(bColumns)) +
                    "%ones = arith.constant dense<1.0> : !acc\n" + body +
                    "%d = cta.await %p : !sum -> !acc\n"
                    "tile.store %d, %y[%c0, %c0] extents [2, 2] : !acc, !tile.view<2x2xf32>, i32, "
                    "i32\nreturn\n}",
                {makeView(left.buffer, {6 / aColumns, aColumns}),
                 makeView(right.buffer, {6 / bColumns, bColumns}), makeView(out.buffer, {2, 2})});
    return out.values();
  }

  /// y of so many elements by a body over %t, rows×columns of x, and %before, one for each row.
  Values rows(int64_t count, int64_t columns, Values x, Values before, const std::string &body,
              const std::string &result) {
    Array &in = harness.array("f32", x), &old = harness.array("f32", before);
    Array &out = harness.zeros("f32", count);
    std::string n = std::to_string(before.size());
    std::string tile = n + "x" + std::to_string(columns) + "xf32";
    harness.run("!tile = tensor<" + tile + ">\n!rows = tensor<" + n +
                    "xf32>\nfunc.func @f(%x: !tile.view<" + tile + ">, %o: !tile.view<" + n +
                    "xf32>, %y: !tile.view<" + std::to_string(count) +
                    "xf32>) attributes {tile.kernel} {\ntile.grid []\n"
                    "%c0 = arith.constant 0 : i32\n%two = arith.constant 2.0 : f32\n"
                    "%t = tile.load %x[%c0, %c0] extents [" +
                    n + ", " + std::to_string(columns) + "] : !tile.view<" + tile +
                    ">, i32, i32 -> !tile\n%before = tile.load %o[%c0] extents [" + n +
                    "] : !tile.view<" + n + "xf32>, i32 -> !rows\n" + body + "tile.store %r, %y[" +
                    "%c0] extents [" + std::to_string(count) + "] : " + result + ", !tile.view<" +
                    std::to_string(count) + "xf32>, i32\nreturn\n}",
                {makeView(in.buffer, {int64_t(before.size()), columns}),
                 makeView(old.buffer, {int64_t(before.size())}), makeView(out.buffer, {count})});
    EXPECT_EQ(harness.errors, "");
    return out.values();
  }
  Harness harness;
};

const std::string kBy = " by #cta.fma over 1x1";

TEST_F(ProductTest, addsToTheSum) {
  EXPECT_EQ(product("f32", 3, {1, 2, 3, 4, 5, 6}, 2, {1, 0, 0, 1, 1, 1},
                    "%p = cta.mma %ones, %a, %b" + kBy + " : !acc, !a, !b -> !sum\n"),
            (Values{5, 6, 11, 12}))
      << harness.errors;
}

TEST_F(ProductTest, readsTransposedSlots) {
  EXPECT_EQ(product("f32", 2, {1, 4, 2, 5, 3, 6}, 3, {1, 0, 1, 0, 1, 1},
                    "%p = cta.mma %ones, %a, %b" + kBy +
                        " {a_transposed, b_transposed} : !acc, !a, !b -> !sum\n"),
            (Values{5, 6, 11, 12}))
      << harness.errors;
}

TEST_F(ProductTest, readsAnOperandInRegisters) {
  Values a(16 * 16), b(8 * 16), expected(16 * 8, 1);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = i % 5;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = i % 3;
  for (size_t i = 0; i < expected.size(); ++i)
    for (size_t k = 0; k < 16; ++k)
      expected[i] += a[i / 8 * 16 + k] * b[i % 8 * 16 + k];
  Array &left = harness.array("bf16", a), &right = harness.array("bf16", b);
  Array &out = harness.zeros("f32", 16 * 8);
  EXPECT_TRUE(harness.run(R"(
!a = tensor<16x16xbf16>
!b = tensor<8x16xbf16>
!slot = !cta.slot<!b>
!acc = tensor<16x8xf32>
!sum = !cta.pending<!acc>
func.func @f(%x: !tile.view<16x16xbf16>, %w: !tile.view<8x16xbf16>, %y: !tile.view<16x8xf32>)
    attributes {tile.kernel} {
  tile.grid []
  %c0 = arith.constant 0 : i32
  %ws = cta.channel cp_async : !cta.channel<1 x !b>
  %open = cta.acquire %ws : !cta.channel<1 x !b> -> !slot
  cta.copy %w[%c0, %c0] extents [8, 16], %open : !tile.view<8x16xbf16>, !slot
  cta.commit %open : !slot
  %held = tile.load %x[%c0, %c0] extents [16, 16] : !tile.view<16x16xbf16>, i32, i32 -> !a
  %b = cta.wait %ws : !cta.channel<1 x !b> -> !slot
  %ones = arith.constant dense<1.0> : !acc
  %p = cta.mma %ones, %held, %b by #cta.mma_sync<16x8x16> over 1x1 {b_transposed}
      : !acc, !a, !slot -> !sum
  %d = cta.await %p : !sum -> !acc
  tile.store %d, %y[%c0, %c0] extents [16, 8] : !acc, !tile.view<16x8xf32>, i32, i32
  return
})",
                          {makeView(left.buffer, {16, 16}), makeView(right.buffer, {8, 16}),
                           makeView(out.buffer, {16, 8})}))
      << harness.errors;
  EXPECT_EQ(out.values(), expected);
}

TEST_F(ProductTest, roundsToTf32) {
  double fine = 1 + std::ldexp(1.0, -12);
  for (const char *flag : {"", " {tf32}"})
    EXPECT_EQ(product("f32", 3, {fine, 0, 0, 0, fine, 0}, 2, {1, 0, 0, 1, 0, 0},
                      "%p = cta.mma %ones, %a, %b" + kBy + std::string(flag) +
                          " : !acc, !a, !b -> !sum\n"),
              *flag ? (Values{2, 1, 1, 2}) : (Values{1 + fine, 1, 1, 1 + fine}))
        << harness.errors;
}

TEST_F(ProductTest, pendingSumsAreAddedTo) {
  Array &in = harness.array("bf16", Values(64 * 16, 1)), &out = harness.zeros("f32", 64 * 8);
  EXPECT_TRUE(
      harness.run(R"(
!view = !tile.view<64x16xbf16>
!a = tensor<64x16xbf16>
!b = tensor<8x16xbf16>
!sum = !cta.pending<tensor<64x8xf32>>
func.func @f(%x: !view, %y: !tile.view<64x8xf32>, %n: i32) attributes {tile.kernel} {
  tile.grid []
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !cta.channel<2 x !a>
  %bs = cta.channel tma : !cta.channel<2 x !b>
  cta.role "load" warps 1 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      cta.load %x[%c0, %c0] extents [64, 16] through %as : !view, !cta.channel<2 x !a>
      cta.load %x[%c0, %c0] extents [8, 16] through %bs : !view, !cta.channel<2 x !b>
    }
  }
  cta.role "multiply" warps 4 {
    %none = cta.begin : !sum
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!sum) : i32 {
      %a = cta.wait %as : !cta.channel<2 x !a> -> !cta.slot<!a>
      %b = cta.wait %bs : !cta.channel<2 x !b> -> !cta.slot<!b>
      %next = cta.mma %before, %a, %b by #cta.wgmma<64x8x16> over 4x1 {b_transposed}
          : !sum, !cta.slot<!a>, !cta.slot<!b> -> !sum
      cta.release %a : !cta.slot<!a> after %next : !sum
      cta.release %b : !cta.slot<!b> after %next : !sum
      scf.yield %next : !sum
    }
    %d = cta.await %sum : !sum -> tensor<64x8xf32>
    tile.store %d, %y[%c0, %c0] extents [64, 8] : tensor<64x8xf32>, !tile.view<64x8xf32>, i32, i32
  }
  return
})",
                  {makeView(in.buffer, {64, 16}), makeView(out.buffer, {64, 8}), int64_t(5)}))
      << harness.errors;
  EXPECT_EQ(out.values(), Values(64 * 8, 80));
}

TEST_F(ProductTest, rescaleMultipliesRows) {
  EXPECT_EQ(rows(2, 2, {1, 2, 3, 4}, {1, 10},
                 "%s = cta.rescale %t, %before : !tile, !rows\n"
                 "%r = tile.reduce sum %s, 1 : !tile -> !rows\n",
                 "!rows"),
            (Values{3, 70}));
}

TEST_F(ProductTest, peaksRiseOnlyByMuch) {
  // By 9 - 1, which is no more than 8; by 10 - 1; not at a NaN; from -inf.
  Values t = {4, 4.5, 5, 0, NAN, 100, 1, 2}, before = {1, 1, 3, -INFINITY};
  std::string raise = "%peak, %shrink = cta.raise %before, %t times %two by 8.0 : !rows, !tile\n";
  EXPECT_EQ(rows(4, 2, t, before, raise + "%r = arith.addf %peak, %peak : !rows\n", "!rows"),
            (Values{2, 20, 6, 8}));
  EXPECT_EQ(rows(4, 2, t, before, raise + "%r = arith.negf %shrink : !rows\n", "!rows"),
            (Values{-1, -std::ldexp(1.0, -9), -1, 0}));
}

TEST_F(ProductTest, wholePeaksAreRoundedUp) {
  // To -0 - 8; to 8 - 8, which is no more; not at a NaN; to -5 - 8 from -inf.
  Values t = {1, 0.25, -4, 2.25, NAN, -100, 3, 2.75}, before = {-10, 0, 3, -INFINITY};
  std::string raise =
      "%minus = arith.constant -2.0 : f32\n"
      "%peak, %shrink = cta.raise %before, %t times any %minus by 0.0 whole 8.0 : !rows, !tile\n";
  EXPECT_EQ(rows(4, 2, t, before, raise + "%r = arith.addf %peak, %peak : !rows\n", "!rows"),
            (Values{-16, 0, 6, -26}));
  EXPECT_EQ(rows(4, 2, t, before, raise + "%r = arith.negf %shrink : !rows\n", "!rows"),
            (Values{-0.25, -1, -1, 0}));
}

TEST_F(ProductTest, partialSumsMakeTheRowsSum) {
  EXPECT_EQ(rows(2, 3, {1, 2, 3, 4, 5, 6}, {0, 0},
                 "%p = cta.partial_sum %t : !tile -> tensor<2x4xf32>\n"
                 "%r = tile.reduce sum %p, 1 : tensor<2x4xf32> -> !rows\n",
                 "!rows"),
            (Values{6, 15}));
}

TEST_F(ProductTest, beforeComparesTheCounter) {
  EXPECT_EQ(
      rows(2, 1, {0, 0}, {1, 2},
           "%c1 = arith.constant 1 : i32\n%c5 = arith.constant 5 : i32\n"
           "%c3 = arith.constant 3 : i32\n"
           "%r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %before) -> (!rows) : i32 {\n"
           "%early = cta.before %i, %c3 : i32\n"
           "%next = scf.if %early -> !rows {\n%u = arith.addf %s, %s : !rows\n"
           "scf.yield %u : !rows\n} else {\nscf.yield %s : !rows\n}\n"
           "scf.yield %next : !rows\n}\n",
           "!rows"),
      (Values{8, 16}));
}

} // namespace tilewright::simulator
