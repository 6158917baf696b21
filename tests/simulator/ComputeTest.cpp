#include "tests/simulator/Harness.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilewright::simulator {

using Values = std::vector<double>;

class ComputeTest : public testing::Test {
protected:
  Values dot(const std::string &type, const std::string &sum, int64_t m, int64_t n, int64_t k,
             Values a, Values b, Values c, const std::string &flag = "") {
    Array &left = harness.array(type, a), &right = harness.array(type, b),
          &acc = harness.array(sum, c);
    auto plane = [](int64_t rows, int64_t columns, const std::string &element) {
      return std::to_string(rows) + "x" + std::to_string(columns) + "x" + element;
    };
    auto load = [](const std::string &name, int64_t rows, int64_t columns, const std::string &t) {
      return "%" + name + " = tile.load %v" + name + "[%z, %z] extents [" + std::to_string(rows) +
             ", " + std::to_string(columns) + "] : !tile.view<" + t + ">, i32, i32 -> tensor<" + t +
             ">\n";
    };
    std::string ta = plane(m, k, type), tb = plane(k, n, type), tc = plane(m, n, sum);
    bool ok = harness.run(
        "func.func @f(%va: !tile.view<" + ta + ">, %vb: !tile.view<" + tb + ">, %vc: !tile.view<" +
            tc + ">) attributes {tile.kernel} {\n tile.grid []\n %z = arith.constant 0 : i32\n" +
            load("a", m, k, ta) + load("b", k, n, tb) + load("c", m, n, tc) +
            "%r = tile.dot %a, %b, %c " + flag + " : tensor<" + ta + ">, tensor<" + tb +
            ">, tensor<" + tc + ">\n tile.store %r, %vc[%z, %z] extents [" + std::to_string(m) +
            ", " + std::to_string(n) + "] : tensor<" + tc + ">, !tile.view<" + tc +
            ">, i32, i32\n return\n}",
        {makeView(left.buffer, {m, k}), makeView(right.buffer, {k, n}),
         makeView(acc.buffer, {m, n})},
        options);
    EXPECT_TRUE(ok) << harness.errors;
    return acc.values();
  }

  /// Reduces the rows of a `rows` × `columns` plane along `axis`.
  Values along(const std::string &op, const std::string &type, const std::string &to, int axis,
               int64_t rows, int64_t columns, Values values) {
    Array &input = harness.array(type, values);
    int64_t kept = axis == 0 ? columns : rows;
    Array &output = harness.zeros(to, kept);
    std::string plane = std::to_string(rows) + "x" + std::to_string(columns) + "x" + type;
    std::string line = std::to_string(kept) + "x" + to;
    bool ok =
        harness.run("func.func @f(%in: !tile.view<" + plane + ">, %out: !tile.view<" + line +
                        ">) attributes {tile.kernel} {\n tile.grid []\n"
                        "%z = arith.constant 0 : i32\n%a = tile.load %in[%z, %z] extents [" +
                        std::to_string(rows) + ", " + std::to_string(columns) + "] : !tile.view<" +
                        plane + ">, i32, i32 -> tensor<" + plane + ">\n%r = " + op + " %a, " +
                        std::to_string(axis) + " : tensor<" + plane + "> -> tensor<" + line +
                        ">\n tile.store %r, %out[%z] " + "extents [" + std::to_string(kept) +
                        "] : tensor<" + line + ">, !tile.view<" + line + ">, i32\n return\n}",
                    {makeView(input.buffer, {rows, columns}), makeView(output.buffer, {kept})});
    EXPECT_TRUE(ok) << harness.errors;
    return output.values();
  }
  Harness harness;
  Options options;
};

TEST_F(ComputeTest, multipliesOddShapes) {
  std::mt19937 random(3);
  auto fill = [&](int64_t count) {
    Values values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(int(random() % 17) - 8);
    return values;
  };
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {5, 19, 7}, {8, 32, 16}, {13, 8, 40}}) {
    for (std::string type : {"f32", "bf16", "i8"}) {
      Values a = fill(m * k), b = fill(k * n), c = fill(m * n), expected = c;
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t l = 0; l < k; ++l)
            expected[i * n + j] += a[i * k + l] * b[l * n + j];
      EXPECT_EQ(dot(type, type == "i8" ? "i32" : "f32", m, n, k, a, b, c), expected) << type;
    }
  }
}

TEST_F(ComputeTest, dotRoundsOncePerProduct) {
  double x = 1 + 0x1p-12;
  EXPECT_EQ(dot("f32", "f32", 1, 1, 1, {x}, {x}, {-1}), Values({std::fma(x, x, -1.0)}));
  EXPECT_EQ(dot("f32", "f32", 1, 1, 1, {1 + 0x1p-11}, {1}, {0}, "tf32"), Values({1 + 0x1p-10}));
}

TEST_F(ComputeTest, dotKeepsNanAndInfinity) {
  EXPECT_TRUE(std::isnan(dot("f32", "f32", 1, 1, 2, {0, 1}, {INFINITY, 1}, {0})[0]));
  EXPECT_EQ(dot("bf16", "f32", 1, 1, 2, {1, 1}, {INFINITY, 1}, {0})[0], INFINITY);
}

TEST_F(ComputeTest, reducesAlongEitherAxis) {
  Values plane = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(along("tile.reduce sum", "f32", "f32", 1, 2, 3, plane), Values({6, 15}));
  EXPECT_EQ(along("tile.reduce sum", "i32", "i32", 0, 2, 3, plane), Values({5, 7, 9}));
  EXPECT_EQ(along("tile.reduce max", "bf16", "bf16", 1, 2, 3, plane), Values({3, 6}));
  EXPECT_EQ(along("tile.reduce min", "i64", "i64", 0, 2, 3, plane), Values({1, 2, 3}));
  EXPECT_EQ(along("tile.reduce any", "i1", "i1", 1, 2, 2, {0, 0, 1, 0}), Values({0, 1}));
  EXPECT_EQ(along("tile.reduce all", "i1", "i1", 0, 2, 2, {1, 0, 1, 1}), Values({1, 0}));
  EXPECT_EQ(along("tile.reduce sum", "i8", "i8", 1, 1, 2, {100, 100}), Values({-56}));
}

TEST_F(ComputeTest, sumsLongRowsAccurately) {
  Values row(1000, 0.1f);
  row[0] = 1e8;
  row[999] = -1e8;
  EXPECT_EQ(along("tile.reduce sum", "f32", "f32", 1, 1, 1000, row)[0], float(998 * double(0.1f)));
}

TEST_F(ComputeTest, findsMeansAndDeviations) {
  Array &x = harness.array("f32", {1, 2, 3, 6, 5, 5, 5, 5});
  Array &w = harness.array("f32", {1, 1, 1, 2, 1, 2, 3, 4});
  std::string text = "func.func @f(%x: !tile.view<2x4xf32>, %w: !tile.view<2x4xf32>", loads, stores;
  std::vector<Argument> arguments{makeView(x.buffer, {2, 4}), makeView(w.buffer, {2, 4})};
  std::vector<Array *> outputs;
  for (std::string name : {"x", "w"})
    loads += "%" + name + "_tile = tile.load %" + name +
             "[%z, %z] extents [2, 4] : !tile.view<2x4xf32>, i32, i32 -> tensor<2x4xf32>\n";
  for (std::string i : {"0", "1", "2", "3"}) {
    outputs.push_back(&harness.zeros("f32", 2));
    arguments.push_back(makeView(outputs.back()->buffer, {2}));
    text += ", %y" + i + ": !tile.view<2xf32>";
    stores += "tile.store %m#" + i + ", %y" + i +
              "[%z] extents [2] : tensor<2xf32>, !tile.view<2xf32>, i32\n";
  }
  EXPECT_TRUE(harness.run(
      text + ") attributes {tile.kernel} {\n tile.grid []\n %z = arith.constant 0 : i32\n" + loads +
          "%m:4 = cta.moments %x_tile, %w_tile along 1 : tensor<2x4xf32> -> tensor<2xf32>\n" +
          stores + "return\n}",
      arguments))
      << harness.errors;
  EXPECT_EQ(outputs[0]->values(), Values({3, 5}));
  EXPECT_EQ(outputs[1]->values(), Values({14, 0}));
  EXPECT_EQ(outputs[2]->values(), Values({5, 10}));
  EXPECT_EQ(outputs[3]->values(), Values({3, 0}));
}

TEST_F(ComputeTest, maxPropagatesNan) {
  EXPECT_TRUE(std::isnan(along("tile.reduce max", "f32", "f32", 1, 1, 3, {1, NAN, 2})[0]));
  EXPECT_TRUE(std::isnan(along("tile.reduce min", "f32", "f32", 0, 3, 1, {1, NAN, 2})[0]));
  EXPECT_EQ(along("tile.reduce max", "f32", "f32", 1, 1, 2, {-INFINITY, -INFINITY})[0], -INFINITY);
}

TEST_F(ComputeTest, argReducePicksLowestIndexAndNan) {
  EXPECT_EQ(along("tile.arg_reduce max", "f32", "i32", 1, 1, 4, {1, 5, 5, 2}), Values({1}));
  EXPECT_EQ(along("tile.arg_reduce min", "f32", "i32", 1, 1, 4, {2, 1, 1, 5}), Values({1}));
  EXPECT_EQ(along("tile.arg_reduce max", "f32", "i32", 1, 1, 4, {9, NAN, NAN, 2}), Values({1}));
  EXPECT_EQ(along("tile.arg_reduce min", "i32", "i32", 0, 2, 2, {3, 1, 2, 1}), Values({1, 0}));
  EXPECT_EQ(along("tile.arg_reduce max", "i1", "i32", 1, 1, 3, {0, 1, 1}), Values({1}));
}

TEST_F(ComputeTest, scansInclusively) {
  Array &a = harness.array("f32", {1, 2, 3}), &b = harness.array("i8", {100, 100, 1});
  EXPECT_EQ(harness.map("%r = tile.scan %a, 0 : tensor<3xf32>", "f32", {&a}), Values({1, 3, 6}));
  EXPECT_EQ(harness.map("%r = tile.scan %a, 0 : tensor<3xi8>", "i8", {&b}),
            Values({100, -56, -55}));
}

/// Sums of 64 products, of which 32 are 1 and 32 are -1, on top of 8.
TEST_F(ComputeTest, tensorCoresAddProductsOfBytesCoarsely) {
  Values a(16 * 64), b(64 * 8, 1), c(16 * 8, 8);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = i % 2 ? -1 : 1;
  options.perturbation = 1;
  double largest = 0;
  for (double sum : dot("f8E4M3FN", "f32", 16, 8, 64, a, b, c))
    largest = std::max(largest, std::abs(sum - 8));
  EXPECT_GT(largest, 0x1p-9);
  EXPECT_LE(largest, 72 * 0x1p-13 + 16 * 0x1p-20);
  EXPECT_EQ(dot("bf16", "f32", 16, 8, 64, a, b, c), c) << "others are exact if their sums are";
}

TEST_F(ComputeTest, countsWork) {
  dot("bf16", "f32", 8, 16, 4, Values(32), Values(64), Values(128));
  EXPECT_EQ(harness.statistics.dotFlops, 2u * 8 * 16 * 4);
  EXPECT_EQ(harness.statistics.bytesLoaded, 2u * 32 + 2 * 64 + 4 * 128);
  EXPECT_EQ(harness.statistics.bytesStored, 4u * 128);
  EXPECT_EQ(harness.statistics.programs, 1u);
}

} // namespace tilewright::simulator
