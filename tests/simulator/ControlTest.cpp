#include "tests/simulator/Harness.h"

#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class ControlTest : public testing::Test {
protected:
  /// Runs a body that makes the i32 %r from the i32 %n.
  double scalar(const std::string &body, int64_t n) {
    Array &o = harness.array("i32", {-99.0});
    EXPECT_TRUE(harness.run("func.func @f(%o: !tile.view<1xi32>, %n: i32) "
                            "attributes {tile.kernel} {\n tile.grid []\n"
                            "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n" +
                                body +
                                "\n tile.store %r, %o[%c0] extents [0] : i32, !tile.view<1xi32>, "
                                "i32\n return\n}",
                            {makeView(o.buffer, {1}), n}))
        << harness.errors;
    return o.values()[0];
  }
  Harness harness;
};

TEST_F(ControlTest, forCarriesValues) {
  std::string sum = "%r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {\n"
                    "%t = arith.addi %s, %i : i32\n scf.yield %t : i32\n}";
  EXPECT_EQ(scalar(sum, 5), 10);
  EXPECT_EQ(scalar(sum, 0), 0);
  EXPECT_EQ(scalar(sum, -3), 0);
}

TEST_F(ControlTest, forSwapsCarriedValues) {
  std::string swap = "%c7 = arith.constant 7 : i32\n"
                     "%r, %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c1, %b = %c7) -> "
                     "(i32, i32) : i32 {\n scf.yield %b, %a : i32, i32\n}";
  EXPECT_EQ(scalar(swap, 2), 1);
  EXPECT_EQ(scalar(swap, 3), 7);
}

TEST_F(ControlTest, nestedLoopsOverIndex) {
  EXPECT_EQ(scalar("%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
                   "%m = arith.index_cast %n : i32 to index\n"
                   "%r = scf.for %i = %z to %m step %one iter_args(%s = %c0) -> (i32) {\n"
                   "%u = scf.for %j = %z to %i step %one iter_args(%t = %s) -> (i32) {\n"
                   "%v = arith.addi %t, %c1 : i32\n scf.yield %v : i32\n}\n"
                   "scf.yield %u : i32\n}",
                   5),
            10);
}

TEST_F(ControlTest, whileRunsUntilItsConditionFails) {
  std::string halve = "%two = arith.constant 2 : i32\n"
                      "%x, %r = scf.while (%a = %n, %k = %c0) : (i32, i32) -> (i32, i32) {\n"
                      "%go = arith.cmpi sgt, %a, %c1 : i32\n"
                      "scf.condition(%go) %a, %k : i32, i32\n} do {\n^bb0(%a: i32, %k: i32):\n"
                      "%h = arith.divsi %a, %two : i32\n%l = arith.addi %k, %c1 : i32\n"
                      "scf.yield %h, %l : i32, i32\n}";
  EXPECT_EQ(scalar(halve, 40), 5);
  EXPECT_EQ(scalar(halve, 1), 0);
}

TEST_F(ControlTest, ifTakesOneBranch) {
  std::string branch = "%p = arith.cmpi sgt, %n, %c0 : i32\n"
                       "%r = scf.if %p -> (i32) {\n scf.yield %n : i32\n} else {\n"
                       "%m = arith.subi %c0, %n : i32\n scf.yield %m : i32\n}";
  EXPECT_EQ(scalar(branch, 4), 4);
  EXPECT_EQ(scalar(branch, -4), 4);
}

TEST_F(ControlTest, keepsOuterValuesAliveAcrossIterations) {
  // The slot of %k must not be reused inside the loop that still reads it.
  EXPECT_EQ(scalar("%k = arith.addi %n, %c1 : i32\n"
                   "%r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {\n"
                   "%x = arith.muli %k, %c1 : i32\n%y = arith.addi %x, %c0 : i32\n"
                   "%t = arith.addi %s, %y : i32\n scf.yield %t : i32\n}",
                   3),
            12);
}

TEST_F(ControlTest, carriesTiles) {
  Array &a = harness.array("f32", {1, 2});
  EXPECT_EQ(harness.map("%n = arith.constant 3 : i32\n%one = arith.constant 1 : i32\n"
                        "%r = scf.for %i = %zero to %n step %one iter_args(%t = %a) -> "
                        "(tensor<2xf32>) : i32 {\n%u = arith.addf %t, %a : tensor<2xf32>\n"
                        "scf.yield %u : tensor<2xf32>\n}",
                        "f32", {&a}),
            Values({4, 8}));
}

TEST_F(ControlTest, refusesANonPositiveStep) {
  EXPECT_FALSE(
      harness.run("func.func @f(%n: i32) attributes {tile.kernel} {\n tile.grid []\n"
                  "%z = arith.constant 0 : i32\n scf.for %i = %z to %n step %z : i32 {\n}\n"
                  "return\n}",
                  {int64_t(3)}));
  EXPECT_NE(harness.errors.find("4: the step of a loop must be positive, not 0"), std::string::npos)
      << harness.errors;
}

} // namespace tilewright::simulator
