#include "tests/simulator/Harness.h"

#include "ir/tile/Tile.h"

#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class ProgramTest : public testing::Test {
protected:
  bool errorsHave(const std::string &text) {
    return harness.errors.find(text) != std::string::npos;
  }
  Harness harness;
};

static const char *const kNumber = R"(
func.func @f(%o: !tile.view<?x?xi32> {tile.name = "o"}) attributes {tile.kernel} {
  %rows = tile.dim %o, 0 : !tile.view<?x?xi32>
  %columns = tile.dim %o, 1 : !tile.view<?x?xi32>
  tile.grid [%columns, %rows]
  %x = tile.program_id 0
  %y = tile.program_id 1
  %ten = arith.constant 10 : i32
  %t = arith.muli %y, %ten : i32
  %v = arith.addi %t, %x : i32
  tile.store %v, %o[%y, %x] extents [0, 0] : i32, !tile.view<?x?xi32>, i32, i32
  return
})";

TEST_F(ProgramTest, runsEveryProgramOfTheGrid) {
  Array &o = harness.zeros("i32", 6);
  EXPECT_TRUE(harness.run(kNumber, {makeView(o.buffer, {2, 3})})) << harness.errors;
  EXPECT_EQ(o.values(), Values({0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(harness.statistics.programs, 6u);
  EXPECT_EQ(harness.statistics.grid, (llvm::SmallVector<int64_t>{3, 2}));
}

TEST_F(ProgramTest, runsNothingOnAnEmptyGrid) {
  Array &o = harness.array("i32", {7});
  EXPECT_TRUE(harness.run(kNumber, {makeView(o.buffer, {0, 3})})) << harness.errors;
  EXPECT_EQ(o.values(), Values({7}));
}

TEST_F(ProgramTest, limitsTheNumberOfPrograms) {
  Array &o = harness.zeros("i32", 6);
  Options options;
  options.maxPrograms = 5;
  EXPECT_FALSE(harness.run(kNumber, {makeView(o.buffer, {2, 3})}, options));
  EXPECT_TRUE(errorsHave("the grid has 6 programs, more than the limit of 5")) << harness.errors;
}

static const char *const kAssert = R"(
func.func @f(%n: i32, %limit: i32) attributes {tile.kernel} {
  tile.grid [%n]
  %x = tile.program_id 0
  %fits = arith.cmpi slt, %x, %limit : i32
  tile.assert %fits, "x is below the limit" : i1
  return
})";

TEST_F(ProgramTest, reportsTheLowestFailedAssertion) {
  EXPECT_TRUE(harness.run(kAssert, {int64_t(100), int64_t(100)})) << harness.errors;
  for (unsigned threads : {1, 2, 4}) {
    Options options;
    options.threads = threads;
    EXPECT_FALSE(harness.run(kAssert, {int64_t(1000), int64_t(37)}, options));
    EXPECT_EQ(harness.errors, "6: assertion failed: x is below the limit (compared 37 and 37), in "
                              "program (37)\n");
  }
}

TEST_F(ProgramTest, namesTheElementOfAFailedAssertion) {
  EXPECT_FALSE(harness.run(R"(
func.func @f() attributes {tile.kernel} {
  tile.grid []
  %c = arith.constant dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  tile.assert %c, "all true" : tensor<2x2xi1>
  return
})",
                           {}));
  EXPECT_TRUE(errorsHave("5: assertion failed: all true (element [1, 1])")) << harness.errors;
}

TEST_F(ProgramTest, checksDimensionNames) {
  Array &a = harness.zeros("f32", 4);
  EXPECT_FALSE(harness.run(R"(
func.func @f(%a: !tile.view<?xf32> {tile.name = "a", tile.dims = ["N"]},
             %b: !tile.view<?xf32> {tile.name = "b", tile.dims = ["N"]}) attributes {tile.kernel} {
  tile.grid []
  return
})",
                           {makeView(a.buffer, {4}), makeView(a.buffer, {3})}));
  EXPECT_TRUE(errorsHave("dimension `N` is 4 in `a` but 3 in `b`")) << harness.errors;
}

TEST_F(ProgramTest, checksArguments) {
  Array &a = harness.zeros("f32", 4);
  EXPECT_FALSE(harness.run(kNumber, {}));
  EXPECT_TRUE(errorsHave("`f` takes 1 arguments but is given 0")) << harness.errors;
  EXPECT_FALSE(harness.run(kNumber, {int64_t(1)}));
  EXPECT_TRUE(errorsHave("`o` needs a view")) << harness.errors;
  EXPECT_FALSE(harness.run(kNumber, {makeView(a.buffer, {2, 2})}));
  EXPECT_TRUE(errorsHave("`o` holds 'i32'")) << harness.errors;
  EXPECT_FALSE(harness.run(kAssert, {1.5, int64_t(1)}));
  EXPECT_TRUE(errorsHave("argument 0 needs a value of type 'i32'")) << harness.errors;
}

TEST_F(ProgramTest, namesAnOpWithoutMeaning) {
  EXPECT_FALSE(harness.run("func.func @f() attributes {tile.kernel} {\n tile.grid []\n"
                           "call @f() : () -> ()\n return\n}",
                           {}));
  EXPECT_TRUE(errorsHave("3: the interpreter has no meaning for `func.call`")) << harness.errors;
}

TEST_F(ProgramTest, refusesWhatChannelsAreLoweredTo) {
  EXPECT_FALSE(harness.run("func.func @f() attributes {tile.kernel} {\n tile.grid []\n"
                           "cta.await_stores\n return\n}",
                           {}));
  EXPECT_TRUE(errorsHave("3: `cta.await_stores` is of a program behind `lower-channels`"))
      << harness.errors;
}

TEST_F(ProgramTest, refusesWhatBlocksExchange) {
  EXPECT_FALSE(harness.run("func.func @f() attributes {tile.kernel} {\n tile.grid []\n"
                           "%x = arith.constant 1.0 : f32\n"
                           "%y = cta.cluster_reduce sum %x : f32\n return\n}",
                           {}));
  EXPECT_TRUE(errorsHave("4: `cta.cluster_reduce` has no meaning for one block")) << harness.errors;
}

TEST_F(ProgramTest, everyOpOfWholeTilesHasAMeaning) {
  for (mlir::RegisteredOperationName name : harness.context.getRegisteredOperations())
    if (name.getDialectNamespace() == "tile" || name.getDialectNamespace() == "cta") {
      EXPECT_TRUE(isInterpreted(name.getStringRef())) << name.getStringRef().str();
    }
  EXPECT_FALSE(isInterpreted("func.call"));
}

} // namespace tilewright::simulator
