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

TEST_F(RefusalTest, ofConstantsAndBitsThatNoPassMakes) {
  auto refusalOf = [&](const std::string &body) {
    return refusal("func.func @f() attributes {tile.kernel} {\ntile.grid []\n" + body +
                   "return\n}");
  };
  EXPECT_EQ(refusalOf("%x = arith.constant sparse<0, 1.0> : tensor<2xf32>\n"),
            "3: the interpreter cannot read this constant\n");
  EXPECT_EQ(refusalOf("%x = arith.constant 1.0 : bf16\n%y = arith.bitcast %x : bf16 to f16\n"),
            "4: the interpreter has no bitcast of 'bf16' to 'f16'\n");
}

TEST_F(RefusalTest, ofRingsThatSeveralRolesFill) {
  std::string fill = "cta.role \"ROLE\" warps 1 {\n%s = cta.acquire %ring : !ring -> !slot\n"
                     "cta.commit %s : !slot\n}\n";
  EXPECT_EQ(refusal("!ring = !cta.channel<2 x tensor<4xf32>>\n!slot = !cta.slot<tensor<4xf32>>\n"
                    "func.func @f() attributes {tile.kernel} {\ntile.grid []\n"
                    "%ring = cta.channel put : !ring\n" +
                    fill + fill + "return\n}"),
            "5: a channel that 2 roles fill has no meaning; one does\n");
}

// The halves of a tile are rows; columns would not be what each warpgroup stores.
TEST_F(RefusalTest, ofPartingWarpgroupsWhoseWarpsShareRows) {
  EXPECT_EQ(refusal(R"(!ring = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
func.func @f() attributes {tile.kernel} {
  tile.grid []
  %as = cta.channel put : !ring
  %bs = cta.channel put : !ring
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    %a = cta.wait %as : !ring -> !slot
    %b = cta.wait %bs : !ring -> !slot
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %p = cta.mma %zeros, %a, %b by #cta.mma_sync<16x8x16> over 4x2 {b_transposed}
        : tensor<64x64xf32>, !slot, !slot -> !cta.pending<tensor<64x64xf32>>
  }
  return
})"),
            "12: the interpreter runs warpgroups that part only where each has rows of its own, "
            "not where warps are 4x2\n");
}

} // namespace
} // namespace tilewright::simulator
