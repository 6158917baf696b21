// Attention as the front end would write it: right against a plain loop, and fast.
#include "tests/simulator/Harness.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilewright::simulator {

static const char *const kAttention = R"(
func.func @attention(%q: !tile.view<?x?x?x64xbf16>
                       {tile.name = "q", tile.dims = ["B", "S", "H", "D"]},
                     %k: !tile.view<?x?x?x64xbf16>
                       {tile.name = "k", tile.dims = ["B", "T", "H", "D"]},
                     %v: !tile.view<?x?x?x64xbf16>
                       {tile.name = "v", tile.dims = ["B", "T", "H", "D"]},
                     %o: !tile.view<?x?x?x64xbf16>
                       {tile.name = "o", tile.dims = ["B", "S", "H", "D"]},
                     %scale: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 128 : i32
  %B = tile.dim %q, 0 : !tile.view<?x?x?x64xbf16>
  %S = tile.dim %q, 1 : !tile.view<?x?x?x64xbf16>
  %H = tile.dim %q, 2 : !tile.view<?x?x?x64xbf16>
  %T = tile.dim %k, 1 : !tile.view<?x?x?x64xbf16>
  %tiles = arith.ceildivsi %S, %block : i32
  tile.grid [%tiles, %H, %B]
  %x = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m = arith.muli %x, %block : i32
  %Q = tile.load %q[%b, %m, %h, %zero] extents [0, 128, 0, 64]
      : !tile.view<?x?x?x64xbf16>, i32, i32, i32, i32 -> tensor<128x64xbf16>
  %acc0 = arith.constant dense<0.0> : tensor<128x64xf32>
  %peak0 = arith.constant dense<-3.0e38> : tensor<128xf32>
  %total0 = arith.constant dense<0.0> : tensor<128xf32>
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128x128xf32>
  %log2e = arith.constant 1.44269504 : f32
  %factor = arith.mulf %scale, %log2e : f32
  %factors = tile.splat %factor : f32 -> tensor<128x128xf32>
  %rows = tile.range %m : tensor<128xi32>
  %rows1 = tile.expand_dims %rows, 1 : tensor<128xi32> -> tensor<128x1xi32>
  %rows2 = tile.broadcast %rows1 : tensor<128x1xi32> -> tensor<128x128xi32>
  %sizes = tile.splat %T : i32 -> tensor<128x128xi32>
  %steps = arith.ceildivsi %T, %block : i32
  %acc, %peak, %total = scf.for %n = %zero to %steps step %one
      iter_args(%accI = %acc0, %peakI = %peak0, %totalI = %total0)
      -> (tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
    %start = arith.muli %n, %block : i32
    %K = tile.load %k[%b, %start, %h, %zero] extents [0, 128, 0, 64]
        : !tile.view<?x?x?x64xbf16>, i32, i32, i32, i32 -> tensor<128x64xbf16>
    %Kt = tile.transpose %K [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %s = tile.dot %Q, %Kt, %none : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    %cols = tile.range %start : tensor<128xi32>
    %cols1 = tile.expand_dims %cols, 0 : tensor<128xi32> -> tensor<1x128xi32>
    %cols2 = tile.broadcast %cols1 : tensor<1x128xi32> -> tensor<128x128xi32>
    %inside = arith.cmpi slt, %cols2, %sizes : tensor<128x128xi32>
    %causal = arith.cmpi sle, %cols2, %rows2 : tensor<128x128xi32>
    %visible = arith.andi %inside, %causal : tensor<128x128xi1>
    %scaled = arith.mulf %s, %factors : tensor<128x128xf32>
    %masked = arith.select %visible, %scaled, %low : tensor<128x128xi1>, tensor<128x128xf32>
    %largest = tile.reduce max %masked, 1 : tensor<128x128xf32> -> tensor<128xf32>
    %best = arith.maximumf %peakI, %largest : tensor<128xf32>
    %best1 = tile.expand_dims %best, 1 : tensor<128xf32> -> tensor<128x1xf32>
    %best2 = tile.broadcast %best1 : tensor<128x1xf32> -> tensor<128x128xf32>
    %shifted = arith.subf %masked, %best2 : tensor<128x128xf32>
    %p = math.exp2 %shifted : tensor<128x128xf32>
    %fall = arith.subf %peakI, %best : tensor<128xf32>
    %shrink = math.exp2 %fall : tensor<128xf32>
    %sum = tile.reduce sum %p, 1 : tensor<128x128xf32> -> tensor<128xf32>
    %kept = arith.mulf %totalI, %shrink : tensor<128xf32>
    %totalN = arith.addf %kept, %sum : tensor<128xf32>
    %shrink1 = tile.expand_dims %shrink, 1 : tensor<128xf32> -> tensor<128x1xf32>
    %shrink2 = tile.broadcast %shrink1 : tensor<128x1xf32> -> tensor<128x64xf32>
    %accS = arith.mulf %accI, %shrink2 : tensor<128x64xf32>
    %P = tile.cast %p : tensor<128x128xf32> -> tensor<128x128xbf16>
    %V = tile.load %v[%b, %start, %h, %zero] extents [0, 128, 0, 64]
        : !tile.view<?x?x?x64xbf16>, i32, i32, i32, i32 -> tensor<128x64xbf16>
    %accN = tile.dot %P, %V, %accS : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    scf.yield %accN, %best, %totalN : tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>
  }
  %total1 = tile.expand_dims %total, 1 : tensor<128xf32> -> tensor<128x1xf32>
  %total2 = tile.broadcast %total1 : tensor<128x1xf32> -> tensor<128x64xf32>
  %result = arith.divf %acc, %total2 : tensor<128x64xf32>
  %O = tile.cast %result : tensor<128x64xf32> -> tensor<128x64xbf16>
  tile.store %O, %o[%b, %m, %h, %zero] extents [0, 128, 0, 64]
      : tensor<128x64xbf16>, !tile.view<?x?x?x64xbf16>, i32, i32, i32, i32
  return
})";

class AttentionTest : public testing::Test {
protected:
  Array &random(int64_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<double> values(count);
    for (double &value : values)
      value = normal(generator);
    return harness.array("bf16", values);
  }

  /// Row s of head h by the definition, in double.
  static std::vector<double> row(const std::vector<double> &q, const std::vector<double> &k,
                                 const std::vector<double> &v, int64_t s, int64_t h, int64_t heads,
                                 double scale) {
    std::vector<double> weights, result(64);
    double total = 0;
    for (int64_t t = 0; t <= s; ++t) {
      double product = 0;
      for (int64_t d = 0; d < 64; ++d)
        product += q[(s * heads + h) * 64 + d] * k[(t * heads + h) * 64 + d];
      weights.push_back(std::exp(product * scale));
      total += weights.back();
    }
    for (int64_t t = 0; t <= s; ++t)
      for (int64_t d = 0; d < 64; ++d)
        result[d] += weights[t] / total * v[(t * heads + h) * 64 + d];
    return result;
  }
  Harness harness;
};

TEST_F(AttentionTest, matchesTheDefinition) {
  constexpr int64_t kLength = 200, kHeads = 2;
  int64_t count = kLength * kHeads * 64;
  Array &q = random(count, 1), &k = random(count, 2), &v = random(count, 3);
  Array &o = harness.zeros("bf16", count);
  o.buffer.initialized = false;
  auto view = [](Array &array) { return makeView(array.buffer, {1, kLength, kHeads, 64}); };
  ASSERT_TRUE(harness.run(kAttention, {view(q), view(k), view(v), view(o), 0.125}))
      << harness.errors;
  std::vector<double> actual = o.values(), qs = q.values(), ks = k.values(), vs = v.values();
  for (int64_t s : {0, 1, 77, 128, 199})
    for (int64_t h = 0; h < kHeads; ++h) {
      std::vector<double> expected = row(qs, ks, vs, s, h, kHeads, 0.125);
      for (int64_t d = 0; d < 64; ++d)
        EXPECT_NEAR(actual[(s * kHeads + h) * 64 + d], expected[d], 0.02) << s << " " << h;
    }
}

TEST_F(AttentionTest, isTheSameOnAnyNumberOfThreads) {
  constexpr int64_t kLength = 512, kHeads = 4;
  int64_t count = kLength * kHeads * 64;
  Array &q = random(count, 1), &k = random(count, 2), &v = random(count, 3);
  Array &o = harness.zeros("bf16", count);
  auto view = [](Array &array) { return makeView(array.buffer, {1, kLength, kHeads, 64}); };
  std::vector<char> first;
  for (unsigned threads : {1, 0}) {
    Options options;
    options.threads = threads;
    ASSERT_TRUE(harness.run(kAttention, {view(q), view(k), view(v), view(o), 0.125}, options))
        << harness.errors;
    printf("attention B=1 S=512 H=4 D=64, %s: %.1f ms, %.1f GFLOP of dots\n",
           threads ? "one thread" : "all threads", harness.seconds * 1e3,
           double(harness.statistics.dotFlops) / 1e9);
    if (threads)
      first = o.bytes;
    else
      EXPECT_EQ(first, o.bytes);
  }
}

} // namespace tilewright::simulator
