// What the interpreter refuses to run, and what it says of it.
#include "tests/simulator/Harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::simulator {
namespace {

using testing::HasSubstr;

class RefusalTest : public testing::Test {
protected:
  std::string refusal(const std::string &text, std::vector<Argument> arguments = {}) {
    EXPECT_FALSE(harness.run(text, std::move(arguments)));
    return harness.errors;
  }
  Harness harness;
};

TEST_F(RefusalTest, ofKernelsWithoutOneGrid) {
  EXPECT_THAT(refusal("func.func @f() attributes {tile.kernel} { return }"),
              HasSubstr("`f` states no grid"));
  EXPECT_THAT(refusal("func.func private @f() attributes {tile.kernel}"),
              HasSubstr("`f` has no body"));
  EXPECT_THAT(refusal(R"(func.func @f(%n: i32) attributes {tile.kernel} {
    tile.grid [%n]
    tile.grid [%n]
    return
  })",
                      {int64_t(1)}),
              HasSubstr("3: the grid is stated twice"));
}

TEST_F(RefusalTest, ofTensorsOfAnotherType) {
  Array &x = harness.zeros("f16", 4);
  EXPECT_THAT(refusal(R"(func.func @f(%x: !tile.view<?xf32> {tile.name = "x"}, %n: i32)
    attributes {tile.kernel} {
    tile.grid [%n]
    return
  })",
                      {makeView(x.buffer, {4}), int64_t(1)}),
              HasSubstr("`x` holds 'f32' but is given another element type"));
}

TEST_F(RefusalTest, ofNumbersAndValuesThatItCannotHold) {
  const std::string text = "func.func @f(%n: i32, %x: i4) attributes {tile.kernel} {\n"
                           "  tile.grid [%n]\n  return\n}";
  EXPECT_THAT(refusal(text, {int64_t(1), int64_t(1)}),
              HasSubstr("the interpreter cannot hold an argument of type 'i4'"));
  EXPECT_THAT(refusal("func.func @f(%n: i32) attributes {tile.kernel} {\n  tile.grid [%n]\n"
                      "  return\n}",
                      {1.5}),
              HasSubstr("argument 0 needs a value of type 'i32'"));
}

TEST_F(RefusalTest, ofProgramsOfAGridOfLowerRank) {
  EXPECT_THAT(refusal(R"(func.func @f(%n: i32) attributes {tile.kernel} {
    tile.grid [%n]
    %y = tile.program_id 1
    return
  })",
                      {int64_t(1)}),
              HasSubstr("of a grid of rank 1"));
}

} // namespace
} // namespace tilewright::simulator
