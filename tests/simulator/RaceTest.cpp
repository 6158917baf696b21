#include "tests/simulator/Harness.h"

#include <gtest/gtest.h>
#include <random>

namespace tilewright::simulator {

using Values = std::vector<double>;

class RaceTest : public testing::Test {
protected:
  /// Runs with several numbers of threads; the report must be the same.
  bool run(const std::string &text, std::vector<Argument> arguments) {
    std::string report;
    bool ok = true;
    for (unsigned threads : {1, 2, 4}) {
      Options options;
      options.threads = threads;
      ok = harness.run(text, arguments, options);
      EXPECT_TRUE(threads == 1 || report == harness.errors) << report << harness.errors;
      report = harness.errors;
    }
    return ok;
  }
  Harness harness;
};

/// Program x writes [x * step, x * step + 4).
static const char *const kWindows = R"(
func.func @f(%o: !tile.view<?xf32> {tile.name = "o"}, %n: i32, %step: i32)
    attributes {tile.kernel} {
  tile.grid [%n]
  %x = tile.program_id 0
  %at = arith.muli %x, %step : i32
  %k = arith.constant dense<1.0> : tensor<4xf32>
  tile.store %k, %o[%at] extents [4] : tensor<4xf32>, !tile.view<?xf32>, i32
  return
})";

TEST_F(RaceTest, acceptsDisjointWrites) {
  Array &o = harness.zeros("f32", 64);
  EXPECT_TRUE(run(kWindows, {makeView(o.buffer, {64}), int64_t(16), int64_t(4)})) << harness.errors;
}

TEST_F(RaceTest, reportsOverlappingWrites) {
  Array &o = harness.zeros("f32", 64);
  EXPECT_FALSE(run(kWindows, {makeView(o.buffer, {8}), int64_t(16), int64_t(3)}));
  EXPECT_EQ(harness.errors, "8: race on element [3] of `o`: program (0) writes it and program (1) "
                            "writes it\n8: program (1) writes it here\n");
  Options options;
  options.checkRaces = false;
  EXPECT_TRUE(harness.run(kWindows, {makeView(o.buffer, {64}), int64_t(16), int64_t(3)}, options));
}

TEST_F(RaceTest, ignoresWritesOutsideTheView) {
  Array &o = harness.zeros("f32", 64);
  EXPECT_TRUE(run(kWindows, {makeView(o.buffer, {4}), int64_t(2), int64_t(4)})) << harness.errors;
}

static const char *const kNeighbour = R"(
func.func @f(%o: !tile.view<?xi32> {tile.name = "o"}, %n: i32, %offset: i32)
    attributes {tile.kernel} {
  tile.grid [%n]
  %x = tile.program_id 0
  %from = arith.addi %x, %offset : i32
  %v = tile.load %o[%from] extents [0] : !tile.view<?xi32>, i32 -> i32
  tile.store %v, %o[%x] extents [0] : i32, !tile.view<?xi32>, i32
  return
})";

TEST_F(RaceTest, reportsAReadOfAnothersWrite) {
  Array &o = harness.zeros("i32", 8);
  EXPECT_TRUE(run(kNeighbour, {makeView(o.buffer, {8}), int64_t(8), int64_t(0)})) << harness.errors;
  EXPECT_FALSE(run(kNeighbour, {makeView(o.buffer, {8}), int64_t(8), int64_t(1)}));
  EXPECT_EQ(harness.errors, "8: race on element [1] of `o`: program (1) writes it and program (0) "
                            "reads it\n7: program (0) reads it here\n");
}

static const char *const kAtomic = R"(
func.func @f(%o: !tile.view<?xi32> {tile.name = "o"}, %n: i32, %writes: i1)
    attributes {tile.kernel} {
  tile.grid [%n]
  %x = tile.program_id 0
  %z = arith.constant 0 : i32
  tile.atomic add %x, %o[%z] extents [0] : i32, !tile.view<?xi32>, i32
  scf.if %writes {
    tile.store %x, %o[%x] extents [0] : i32, !tile.view<?xi32>, i32
  }
  return
})";

TEST_F(RaceTest, acceptsAtomicsAmongThemselves) {
  Array &o = harness.zeros("i32", 8);
  EXPECT_TRUE(harness.run(kAtomic, {makeView(o.buffer, {8}), int64_t(8), int64_t(0)}))
      << harness.errors;
  EXPECT_EQ(o.values()[0], 28);
  EXPECT_FALSE(run(kAtomic, {makeView(o.buffer, {8}), int64_t(8), int64_t(1)}));
  EXPECT_EQ(harness.errors, "9: race on element [0] of `o`: program (0) writes it and program (7) "
                            "updates it\n7: program (7) updates it here\n");
}

TEST_F(RaceTest, threadsGiveTheSameBits) {
  std::mt19937 random(5);
  std::vector<double> values;
  for (int i = 0; i < 64 * 16; ++i)
    values.push_back(float(random()) / 1e6f);
  std::string text = R"(
func.func @f(%a: !tile.view<64x16xf32>, %o: !tile.view<64xf32>, %t: !tile.view<1xf32>)
    attributes {tile.kernel} {
  %n = arith.constant 64 : i32
  tile.grid [%n]
  %x = tile.program_id 0
  %z = arith.constant 0 : i32
  %row = tile.load %a[%x, %z] extents [0, 16] : !tile.view<64x16xf32>, i32, i32 -> tensor<16xf32>
  %e = math.exp %row : tensor<16xf32>
  %l = math.sqrt %row : tensor<16xf32>
  %s = tile.reduce sum %l, 0 : tensor<16xf32> -> f32
  tile.store %s, %o[%x] extents [0] : f32, !tile.view<64xf32>, i32
  tile.atomic add %s, %t[%z] extents [0] : f32, !tile.view<1xf32>, i32
  return
})";
  Values sums[2], totals[2];
  for (unsigned i = 0; i < 2; ++i) {
    Array &a = harness.array("f32", values), &o = harness.zeros("f32", 64),
          &t = harness.zeros("f32", 1);
    Options options;
    options.threads = i ? 4 : 1;
    ASSERT_TRUE(harness.run(
        text, {makeView(a.buffer, {64, 16}), makeView(o.buffer, {64}), makeView(t.buffer, {1})},
        options))
        << harness.errors;
    sums[i] = o.values();
    totals[i] = t.values();
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(totals[0], totals[1]);
}

} // namespace tilewright::simulator
