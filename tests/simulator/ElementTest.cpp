#include "tests/simulator/Harness.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class ElementTest : public testing::Test {
protected:
  Values unary(const std::string &op, const std::string &type, Values a) {
    Array &input = harness.array(type, a);
    return harness.map("%r = " + op + " %a : tensor<" + std::to_string(a.size()) + "x" + type + ">",
                       type, {&input});
  }
  Values binary(const std::string &op, const std::string &type, Values a, Values b) {
    Array &left = harness.array(type, a), &right = harness.array(type, b);
    return harness.map("%r = " + op + " %a, %b : tensor<" + std::to_string(a.size()) + "x" + type +
                           ">",
                       type, {&left, &right});
  }
  Values compare(const std::string &op, const std::string &type, Values a, Values b) {
    Array &left = harness.array(type, a), &right = harness.array(type, b);
    return harness.map("%r = " + op + ", %a, %b : tensor<" + std::to_string(a.size()) + "x" + type +
                           ">",
                       "i1", {&left, &right});
  }
  Harness harness;
};

TEST_F(ElementTest, addsAndDividesFloats) {
  EXPECT_EQ(binary("arith.addf", "f32", {1, 2.5}, {2, -1}), Values({3, 1.5}));
  EXPECT_EQ(binary("arith.divf", "f32", {1, 1}, {4, 0}), Values({0.25, INFINITY}));
  EXPECT_EQ(binary("arith.subf", "f32", {1}, {4}), Values({-3}));
  EXPECT_EQ(binary("arith.mulf", "f32", {3}, {4}), Values({12}));
  EXPECT_EQ(binary("arith.remf", "f32", {-7}, {4}), Values({-3}));
}

TEST_F(ElementTest, roundsNarrowFloatsOncePerOp) {
  EXPECT_EQ(binary("arith.addf", "bf16", {256, 1}, {1, 0x1p-9}), Values({256, 1}));
  EXPECT_EQ(binary("arith.addf", "bf16", {256}, {3}), Values({260})); // a tie, to even
  EXPECT_EQ(binary("arith.mulf", "f16", {1024}, {100}), Values({INFINITY}));
  EXPECT_EQ(binary("arith.addf", "f8E4M3FN", {448}, {448}), Values({448}));
}

TEST_F(ElementTest, maximumPropagatesNanAndMaxnumDoesNot) {
  Values maximum = binary("arith.maximumf", "f32", {NAN, 1, 2}, {1, NAN, 3});
  EXPECT_TRUE(std::isnan(maximum[0]) && std::isnan(maximum[1]));
  EXPECT_EQ(maximum[2], 3);
  EXPECT_EQ(binary("arith.maxnumf", "f32", {NAN, 1, 2}, {1, NAN, 3}), Values({1, 1, 3}));
  EXPECT_EQ(binary("arith.minnumf", "f32", {NAN, 1, 2}, {1, NAN, 3}), Values({1, 1, 2}));
  EXPECT_FALSE(std::signbit(binary("arith.maximumf", "f32", {-0.0}, {0.0})[0]));
  EXPECT_TRUE(std::signbit(binary("arith.minimumf", "f32", {0.0}, {-0.0})[0]));
}

TEST_F(ElementTest, computesMathFunctions) {
  EXPECT_EQ(unary("math.exp2", "f32", {0, 3, -INFINITY}), Values({1, 8, 0}));
  EXPECT_EQ(unary("math.log2", "f32", {8, 0}), Values({3, -INFINITY}));
  EXPECT_EQ(unary("math.rsqrt", "f32", {4, 0}), Values({0.5, INFINITY}));
  EXPECT_EQ(unary("math.floor", "f32", {-0.5, 2.5}), Values({-1, 2}));
  EXPECT_EQ(unary("math.ceil", "f32", {-0.5, 2.5}), Values({0, 3}));
  EXPECT_EQ(unary("math.roundeven", "f32", {0.5, 1.5, 2.5}), Values({0, 2, 2}));
  EXPECT_EQ(unary("math.absf", "f32", {-3}), Values({3}));
  EXPECT_EQ(unary("arith.negf", "f32", {-3}), Values({3}));
  EXPECT_EQ(unary("math.sqrt", "f32", {9}), Values({3}));
  for (auto [op, function] :
       std::initializer_list<std::pair<const char *, double (*)(double)>>{{"math.exp", std::exp},
                                                                          {"math.log", std::log},
                                                                          {"math.sin", std::sin},
                                                                          {"math.cos", std::cos},
                                                                          {"math.tanh", std::tanh},
                                                                          {"math.erf", std::erf}}) {
    double actual = unary(op, "f32", {0.75})[0], expected = function(0.75);
    EXPECT_NEAR(actual, expected, std::fabs(expected) * 1.2e-7) << op;
  }
  EXPECT_EQ(binary("math.powf", "f32", {2}, {10}), Values({1024}));
}

TEST_F(ElementTest, fusesMultiplyAdd) {
  Array &a = harness.array("f32", {1 + 0x1p-12}), &c = harness.array("f32", {-1.0});
  double fused = std::fma(1 + 0x1p-12, 1 + 0x1p-12, -1.0);
  EXPECT_EQ(harness.map("%r = math.fma %a, %a, %b : tensor<1xf32>", "f32", {&a, &c}),
            Values({fused}));
}

TEST_F(ElementTest, wrapsIntegers) {
  EXPECT_EQ(binary("arith.addi", "i8", {127}, {1}), Values({-128}));
  EXPECT_EQ(binary("arith.muli", "i16", {300}, {300}), Values({90000 - 65536}));
  EXPECT_EQ(binary("arith.subi", "i32", {-2147483648.0}, {1}), Values({2147483647}));
  EXPECT_EQ(binary("arith.addi", "i64", {1}, {-3}), Values({-2}));
  EXPECT_EQ(unary("math.absi", "i8", {-128, -3}), Values({-128, 3}));
}

TEST_F(ElementTest, dividesTowardEachSide) {
  Values a = {7, -7, 7, -7, 6}, b = {2, 2, -2, -2, -3};
  EXPECT_EQ(binary("arith.divsi", "i32", a, b), Values({3, -3, -3, 3, -2}));
  EXPECT_EQ(binary("arith.floordivsi", "i32", a, b), Values({3, -4, -4, 3, -2}));
  EXPECT_EQ(binary("arith.ceildivsi", "i32", a, b), Values({4, -3, -3, 4, -2}));
  EXPECT_EQ(binary("arith.remsi", "i32", a, b), Values({1, -1, 1, -1, 0}));
  EXPECT_EQ(binary("arith.divsi", "i32", {-2147483648.0}, {-1}), Values({-2147483648.0}));
  EXPECT_EQ(binary("arith.divui", "i8", {-2}, {2}), Values({127}));
  EXPECT_EQ(binary("arith.ceildivui", "i8", {-2}, {4}), Values({64}));
  EXPECT_EQ(binary("arith.remui", "i8", {-2}, {7}), Values({254 % 7}));
}

TEST_F(ElementTest, reportsDivisionByZero) {
  EXPECT_TRUE(binary("arith.divsi", "i32", {1, 2}, {1, 0}).empty());
  EXPECT_NE(harness.errors.find("division by zero in element 1"), std::string::npos)
      << harness.errors;
}

TEST_F(ElementTest, shiftsAndCombinesBits) {
  EXPECT_EQ(binary("arith.shli", "i8", {3, 1, 1}, {7, 8, 3}), Values({-128, 0, 8}));
  EXPECT_EQ(binary("arith.shrsi", "i32", {-8, -8}, {1, 40}), Values({-4, -1}));
  EXPECT_EQ(binary("arith.shrui", "i8", {-8, -8}, {1, 40}), Values({124, 0}));
  EXPECT_EQ(binary("arith.andi", "i32", {12}, {10}), Values({8}));
  EXPECT_EQ(binary("arith.ori", "i32", {12}, {10}), Values({14}));
  EXPECT_EQ(binary("arith.xori", "i1", {1, 1}, {1, 0}), Values({0, 1}));
  EXPECT_EQ(unary("math.ctlz", "i8", {1, 0, -1}), Values({7, 8, 0}));
  EXPECT_EQ(unary("math.ctpop", "i8", {-1}), Values({8}));
}

TEST_F(ElementTest, comparesIntegers) {
  EXPECT_EQ(compare("arith.cmpi slt", "i8", {-1, 1}, {1, -1}), Values({1, 0}));
  EXPECT_EQ(compare("arith.cmpi ult", "i8", {-1, 1}, {1, -1}), Values({0, 1}));
  EXPECT_EQ(compare("arith.cmpi uge", "i64", {-1}, {1}), Values({1}));
  EXPECT_EQ(compare("arith.cmpi eq", "i1", {1, 0}, {1, 1}), Values({1, 0}));
  EXPECT_EQ(binary("arith.maxsi", "i32", {-1}, {1}), Values({1}));
  EXPECT_EQ(binary("arith.maxui", "i8", {-1}, {1}), Values({-1}));
  EXPECT_EQ(binary("arith.minui", "i8", {-1}, {1}), Values({1}));
}

TEST_F(ElementTest, comparesFloatsWithNan) {
  Values a = {1, 2, 1, NAN}, b = {2, 1, 1, 1};
  EXPECT_EQ(compare("arith.cmpf olt", "f32", a, b), Values({1, 0, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf ult", "f32", a, b), Values({1, 0, 0, 1}));
  EXPECT_EQ(compare("arith.cmpf one", "f32", a, b), Values({1, 1, 0, 0}));
  EXPECT_EQ(compare("arith.cmpf une", "f32", a, b), Values({1, 1, 0, 1}));
  EXPECT_EQ(compare("arith.cmpf ueq", "f32", a, b), Values({0, 0, 1, 1}));
  EXPECT_EQ(compare("arith.cmpf ord", "f32", a, b), Values({1, 1, 1, 0}));
  EXPECT_EQ(compare("arith.cmpf uno", "f32", a, b), Values({0, 0, 0, 1}));
}

TEST_F(ElementTest, selectsByMaskAndByScalar) {
  Array &mask = harness.array("i1", {1, 0}), &a = harness.array("bf16", {1, 2}),
        &b = harness.array("bf16", {3, 4});
  EXPECT_EQ(harness.map("%r = arith.select %a, %b, %c : tensor<2xi1>, tensor<2xbf16>", "bf16",
                        {&mask, &a, &b}),
            Values({1, 4}));
  EXPECT_EQ(harness.map("%no = arith.constant false\n"
                        "%r = arith.select %no, %b, %c : tensor<2xbf16>",
                        "bf16", {&mask, &a, &b}),
            Values({3, 4}));
}

TEST_F(ElementTest, readsConstants) {
  Array &a = harness.array("f32", {1, 2});
  EXPECT_EQ(harness.map("%k = arith.constant dense<[0.5, -2.0]> : tensor<2xf32>\n"
                        "%s = arith.constant dense<3.0> : tensor<2xf32>\n"
                        "%p = arith.mulf %a, %k : tensor<2xf32>\n"
                        "%r = arith.addf %p, %s : tensor<2xf32>",
                        "f32", {&a}),
            Values({3.5, -1}));
}

} // namespace tilewright::simulator
