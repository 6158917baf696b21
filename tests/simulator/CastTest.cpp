#include "tests/simulator/Harness.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class CastTest : public testing::Test {
protected:
  Values cast(const std::string &from, const std::string &to, Values values,
              const std::string &op = "tile.cast") {
    Array &input = harness.array(from, values);
    std::string size = "tensor<" + std::to_string(values.size()) + "x";
    std::string word = op == "tile.cast" ? " -> " : " to ";
    return harness.map("%r = " + op + " %a : " + size + from + ">" + word + size + to + ">", to,
                       {&input});
  }
  Harness harness;
};

TEST_F(CastTest, roundsFloatsToNearestEven) {
  EXPECT_EQ(cast("f32", "bf16", {257, 259, 1e39}), Values({256, 260, INFINITY}));
  EXPECT_EQ(cast("f32", "f16", {70000, 0x1p-25, 0x1.8p-25}), Values({INFINITY, 0, 0x1p-24}));
  EXPECT_EQ(cast("bf16", "f32", {1.5}), Values({1.5}));
}

TEST_F(CastTest, saturatesByteFloats) {
  EXPECT_EQ(cast("f32", "f8E4M3FN", {500, -INFINITY, 17}), Values({448, -448, 16}));
  EXPECT_EQ(cast("f32", "f8E5M2", {1e9, INFINITY}), Values({57344, 57344}));
  EXPECT_TRUE(std::isnan(cast("f32", "f8E4M3FN", {NAN})[0]));
}

TEST_F(CastTest, saturatesFloatsToIntegers) {
  EXPECT_EQ(cast("f32", "i32", {-1.9, 1.9, NAN, 1e20, -1e20}),
            Values({-1, 1, 0, 2147483647, -2147483648.0}));
  EXPECT_EQ(cast("f32", "i8", {300, -300, NAN, 5.5}), Values({127, -128, 0, 5}));
  EXPECT_EQ(cast("f32", "i64", {-1.9, 1e10}), Values({-1, 1e10}));
  EXPECT_EQ(cast("f32", "i8", {255, 300, -5}, "arith.fptoui"), Values({-1, -1, 0}));
}

TEST_F(CastTest, roundsIntegersToFloatsOnce) {
  EXPECT_EQ(cast("i32", "f32", {16777217, -3}), Values({16777216, -3}));
  // Over f32 this would round to a tie first, and then the wrong way.
  EXPECT_EQ(cast("i32", "bf16", {16842753}), Values({16908288}));
  EXPECT_EQ(cast("i32", "f16", {100000}), Values({INFINITY}));
  EXPECT_EQ(cast("i8", "f32", {-1}, "arith.uitofp"), Values({255}));
}

TEST_F(CastTest, resizesIntegersModulo) {
  EXPECT_EQ(cast("i32", "i8", {200, -1}), Values({-56, -1}));
  EXPECT_EQ(cast("i8", "i64", {-3}), Values({-3}));
  EXPECT_EQ(cast("i64", "i32", {4294967297.0}), Values({1}));
  EXPECT_EQ(cast("i8", "i32", {-3}, "arith.extui"), Values({253}));
  EXPECT_EQ(cast("i8", "i32", {-3}, "arith.extsi"), Values({-3}));
  EXPECT_EQ(cast("i32", "i16", {65537}, "arith.trunci"), Values({1}));
  EXPECT_EQ(cast("i32", "i64", {-1}, "arith.extui"), Values({4294967295.0}));
}

TEST_F(CastTest, readsBoolsAsZeroAndOne) {
  EXPECT_EQ(cast("i1", "i32", {1, 0}), Values({1, 0}));
  EXPECT_EQ(cast("i1", "bf16", {1, 0}), Values({1, 0}));
  EXPECT_EQ(cast("i1", "i64", {1, 0}), Values({1, 0}));
  EXPECT_EQ(cast("f32", "i1", {0, -0.0, 0.25, NAN}), Values({0, 0, 1, 1}));
  EXPECT_EQ(cast("i32", "i1", {0, 2}), Values({0, 1}));
  EXPECT_EQ(cast("i1", "i32", {1, 0}, "arith.extui"), Values({1, 0}));
  EXPECT_EQ(cast("i1", "i32", {1, 0}, "arith.extsi"), Values({-1, 0}));
}

TEST_F(CastTest, reinterpretsBits) {
  EXPECT_EQ(cast("f32", "i32", {1}, "arith.bitcast"), Values({0x3f800000}));
  EXPECT_EQ(cast("i32", "f32", {0x3f800000}, "arith.bitcast"), Values({1}));
  EXPECT_EQ(cast("bf16", "i16", {1, -1}, "arith.bitcast"), Values({0x3f80, 0x3f80 - 32768}));
  EXPECT_EQ(cast("i8", "f8E4M3FN", {0x38, -128}, "arith.bitcast"), Values({1, -0.0}));
}

} // namespace tilewright::simulator
