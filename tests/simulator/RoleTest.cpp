// Roles, their channels and tiles in the reference interpreter.
#include "tests/simulator/Harness.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class RoleTest : public testing::Test {
protected:
  /// Runs a body over 4-element rows of %x and %y, of which there are %n: what it leaves in y.
  Values rows(const std::string &body, int64_t n, Values x, int64_t grid = 1) {
    Array &in = harness.array("f32", x), &out = harness.array("f32", Values(size_t(4 * n), -1));
    harness.run(
        "!view = !tile.view<?x4xf32, align 16>\n!row = tensor<4xf32>\n!tile = tensor<1x4xf32>\n"
        "!ring = !cta.channel<2 x !tile>\n!line = !cta.channel<2 x !row>\n!slot = "
        "!cta.slot<!tile>\n"
        "func.func @f(%x: !view, %y: !view, %blocks: i32) attributes {tile.kernel} {\n"
        "tile.grid [%blocks]\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
        "%n = tile.dim %x, 0 : !view\n%ring = cta.channel put : !ring\n" +
            body + "return\n}",
        {makeView(in.buffer, {n, 4}), makeView(out.buffer, {n, 4}), grid});
    return out.values();
  }
  Harness harness;
};

/// A role that brings the rows of x, one for each tile.
const std::string kLoad = "cta.role \"load\" warps 1 {\n"
                          "cta.tiles (%i) of (%n) {\n"
                          "cta.load %x[%i, %c0] extents [1, 4] through %ring : !view, !ring\n"
                          "}\n}\n";
/// One that takes them, up to what it does with %t.
const std::string kTake = "cta.role \"take\" warps 1 {\n"
                          "cta.tiles (%i) of (%n) {\n"
                          "%slot = cta.wait %ring : !ring -> !slot\n"
                          "%t = cta.get %slot : !slot -> !tile\n";
const std::string kStore = "tile.store %t, %y[%i, %c0] extents [1, 4] : !tile, !view, i32, i32\n";
const std::string kRelease = "cta.release %slot : !slot\n";

TEST_F(RoleTest, tilesCrossThroughRings) {
  Values x;
  for (int i = 0; i < 28; ++i)
    x.push_back(i);
  for (int64_t grid : {1, 2, 7, 9})
    EXPECT_EQ(rows(kLoad + kTake + kStore + kRelease + "}\n}\n", 7, x, grid), x) << harness.errors;
  // Whichever role stands first.
  EXPECT_EQ(rows(kTake + kStore + kRelease + "}\n}\n" + kLoad, 7, x), x) << harness.errors;
}

TEST_F(RoleTest, programsKnowHowManyMultiprocessorsThereAre) {
  std::string ask = "%sms = cta.sms : i32\n%c4 = arith.constant 4 : i32\n"
                    "%four = arith.cmpi eq, %sms, %c4 : i32\ntile.assert %four, \"four\" : i1\n";
  Values x(28, 3);
  EXPECT_EQ(rows(ask + kLoad + kTake + kStore + kRelease + "}\n}\n", 7, x), x) << harness.errors;
}

TEST_F(RoleTest, everyTakerOfARingHasAllSlots) {
  std::string other = "cta.role \"other\" warps 1 {\ncta.tiles (%i) of (%n) {\n"
                      "%slot = cta.wait %ring : !ring -> !slot\n" +
                      kRelease + "}\n}\n";
  Values x(28, 3);
  EXPECT_EQ(rows(kLoad + kTake + kStore + kRelease + "}\n}\n" + other, 7, x), x) << harness.errors;
}

TEST_F(RoleTest, namesWhoWaitsForEver) {
  rows(kLoad + kTake + kStore + "}\n}\n", 3, Values(12));
  EXPECT_EQ(
      harness.errors,
      "15: nobody can go on: role \"load\" waits for a slot of `a channel` to be released, in "
      "program (0)\n"
      "20: role \"take\" waits for a slot of `a channel` to be committed\n");
  rows(kTake + kRelease + "}\n}\n" + "cta.role \"idle\" warps 1 {\n}\n", 3, Values(12));
  EXPECT_EQ(harness.errors,
            "15: nobody can go on: role \"take\" waits for a slot of `a channel` to be committed, "
            "in program (0)\n");
}

TEST_F(RoleTest, slotsAreClosedOnce) {
  rows(kLoad + kTake + kRelease + kRelease + "}\n}\n", 1, Values(4));
  EXPECT_EQ(harness.errors, "23: releases a slot that it has released already, in program (0)\n");
  rows(kLoad + kTake + kRelease + "%u = cta.get %slot : !slot -> !tile\n}\n}\n", 1, Values(4));
  EXPECT_EQ(harness.errors, "23: reads a slot that it has released already, in program (0)\n");
  std::string commit = "cta.commit %s : !slot\n";
  rows("cta.role \"load\" warps 1 {\n%s = cta.acquire %ring : !ring -> !slot\n" + commit + commit +
           "}\n",
       1, Values(4));
  EXPECT_EQ(harness.errors, "16: commits a slot that it has committed already, in program (0)\n");
}

TEST_F(RoleTest, whatNobodyFilledShows) {
  std::string load = "cta.role \"load\" warps 1 {\n%s = cta.acquire %ring : !ring -> !slot\n"
                     "cta.commit %s : !slot\n}\n";
  Values y = rows(load + kTake + kStore + kRelease + "}\n}\n", 1, Values(4));
  EXPECT_TRUE(std::isnan(y[0])) << harness.errors;
}

TEST_F(RoleTest, copiesAreZeroOutsideAndDependOnTheirPredicate) {
  std::string load = "cta.role \"load\" warps 1 {\ncta.tiles (%i) of (%n) {\n"
                     "%s = cta.acquire %ring : !ring -> !slot\n"
                     "%c2 = arith.constant 2 : i32\n%low = arith.cmpi slt, %i, %c1 : i32\n"
                     "cta.copy %x[%i, %c2] extents [1, 4], %s : !view, !slot\n"
                     "cta.copy %x[%i, %c0] extents [1, 4], %s if %low : !view, !slot\n"
                     "cta.commit %s : !slot\n}\n}\n";
  EXPECT_EQ(rows(load + kTake + kStore + kRelease + "}\n}\n", 2, {1, 2, 3, 4, 5, 6, 7, 8}),
            (Values{1, 2, 3, 4, 7, 8, 0, 0}))
      << harness.errors;
}

TEST_F(RoleTest, rolesTakeTurnsAtTiles) {
  std::string body = "%z = arith.constant dense<TURN.0> : !tile\n"
                     "tile.store %z, %y[%i, %c0] extents [1, 4] : !tile, !view, i32, i32\n}\n}\n";
  std::string text;
  for (const char *turn : {"0", "1"}) {
    std::string role = "cta.role \"r\" warps 1 {\ncta.tiles (%i) of (%n) turn TURN of 2 {\n" + body;
    for (size_t at; (at = role.find("TURN")) != role.npos;)
      role.replace(at, 4, turn);
    text += role;
  }
  Values y = rows(text, 3, Values(12));
  EXPECT_EQ((Values{y[0], y[4], y[8]}), (Values{0, 1, 0})) << harness.errors;
}

TEST_F(RoleTest, tilesHandOn) {
  std::string take = "cta.role \"take\" warps 1 {\n%zero = arith.constant dense<0.0> : !tile\n"
                     "%first = cta.wait %ring : !ring -> !slot\n"
                     "%last:2 = cta.tiles (%i) of (%n) iter_args(%slot = %first, %sum = %zero) -> "
                     "(!slot, !tile) {\n"
                     "%u = cta.get %slot : !slot -> !tile\n" +
                     kRelease + "%t = arith.addf %u, %sum : !tile\n" + kStore +
                     "%next = cta.wait %ring : !ring -> !slot\n"
                     "cta.yield %next, %t : !slot, !tile\n}\n"
                     "cta.release %last#0 : !slot\n}\n";
  std::string load = kLoad;
  load.insert(load.size() - 2,
              "cta.load %x[%c0, %c0] extents [1, 4] through %ring : !view, !ring\n");
  Values y = rows(load + take, 3, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
  EXPECT_EQ((Values{y[0], y[4], y[8]}), (Values{1, 3, 6})) << harness.errors;
}

TEST_F(RoleTest, warpgroupsGoTheirOwnWay) {
  // The second warpgroup adds once more, and each stores its half of the tile.
  std::string text = R"(
cta.role "parts" warps 8 {
  %group = cta.warpgroup : i32
  %times = arith.addi %group, %c1 : i32
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %one = arith.constant dense<1.0> : tensor<4x4xf32>
  %t = scf.for %k = %c0 to %times step %c1 iter_args(%s = %zero) -> (tensor<4x4xf32>) : i32 {
    %next = arith.addf %s, %one : tensor<4x4xf32>
    scf.yield %next : tensor<4x4xf32>
  }
  tile.store %t, %y[%c0, %c0] extents [4, 4] : tensor<4x4xf32>, !view, i32, i32
}
)";
  Values y = rows(text, 4, Values(16));
  EXPECT_EQ((Values{y[0], y[4], y[8], y[12]}), (Values{1, 1, 2, 2})) << harness.errors;
}

TEST_F(RoleTest, splitTilesAreWhole) {
  std::string text = R"(
cta.role "whole" warps 4 {
  cta.tiles (%i) of (%n) split (%first to %end) of %n least 1 {
    %zero = arith.constant dense<0.0> : !tile
    %one = arith.constant dense<1.0> : !tile
    %part = scf.for %k = %first to %end step %c1 iter_args(%s = %zero) -> (!tile) : i32 {
      %next = arith.addf %s, %one : !tile
      scf.yield %next : !tile
    }
    %t, %whole = cta.combine %part : !tile
    scf.if %whole {
      tile.store %t, %y[%i, %c0] extents [1, 4] : !tile, !view, i32, i32
    }
  }
}
)";
  EXPECT_EQ(rows(text, 3, Values(12), /*grid=*/2), Values(12, 3)) << harness.errors;
}

// 0, 1 and 3 steps; the first would have -1.
TEST_F(RoleTest, splitTilesHaveLengthsOfTheirOwn) {
  std::string text = R"(
cta.role "whole" warps 4 {
  cta.tiles (%i) of (%n) split (%first to %end) of (%i) {
    %twice = arith.addi %i, %i : i32
    %steps = arith.subi %twice, %c1 : i32
    cta.yield %steps : i32
  } least 1 {
    %zero = arith.constant dense<0.0> : !tile
    %one = arith.constant dense<1.0> : !tile
    %part = scf.for %k = %first to %end step %c1 iter_args(%s = %zero) -> (!tile) : i32 {
      %next = arith.addf %s, %one : !tile
      scf.yield %next : !tile
    }
    %steps = tile.splat %end : i32 -> tensor<1x4xi32>
    %known = tile.cast %steps : tensor<1x4xi32> -> !tile
    %sum = arith.addf %part, %known : !tile
    %t, %whole = cta.combine %sum : !tile
    scf.if %whole {
      tile.store %t, %y[%i, %c0] extents [1, 4] : !tile, !view, i32, i32
    }
  }
}
)";
  Values y = rows(text, 3, Values(12), /*grid=*/2);
  EXPECT_EQ((Values{y[0], y[4], y[8]}), (Values{0, 2, 6})) << harness.errors;
}

TEST_F(RoleTest, elementsOfARowAreRead) {
  std::string take = "cta.role \"take\" warps 1 {\ncta.tiles (%i) of (%n) {\n"
                     "%slot = cta.wait %line : !line -> !cta.slot<!row>\n"
                     "%e = cta.element %slot[%at] : !cta.slot<!row> -> f32\n"
                     "cta.release %slot : !cta.slot<!row>\n"
                     "tile.store %e, %y[%i, %c0] extents [0, 0] : f32, !view, i32, i32\n}\n}\n";
  std::string load = "%line = cta.channel tma : !line\n" + kLoad;
  load.replace(load.find("[1, 4]"), 6, "[0, 4]");
  load.replace(load.find("through %ring : !view, !ring"), 28, "through %line : !view, !line");
  auto element = [&](const char *at) {
    return rows("%at = arith.constant " + std::string(at) + " : i32\n" + load + take, 1,
                {5, 6, 7, 8})[0];
  };
  EXPECT_EQ(element("2"), 7) << harness.errors;
  element("4");
  EXPECT_NE(harness.errors.find("reads element 4 of a row of 4"), std::string::npos);
}

TEST_F(RoleTest, storesAdd) {
  std::string text = "%rows = cta.channel store : !cta.channel<1 x tensor<8x4xf32>>\n"
                     "cta.role \"add\" warps 4 {\n"
                     "%t = arith.constant dense<2.0> : tensor<8x4xf32>\n"
                     "cta.store add %t, %y[%c1, %c0] extents [8, 4] through %rows : "
                     "tensor<8x4xf32>, !view, !cta.channel<1 x tensor<8x4xf32>>\n}\n";
  EXPECT_EQ(rows(text, 2, Values(8), /*grid=*/3), (Values{-1, -1, -1, -1, 5, 5, 5, 5}))
      << harness.errors;
}

TEST_F(RoleTest, turnsAndMeetingsChangeNoValue) {
  std::string text = "%order = cta.order\n" + kLoad + kTake +
                     "%turn = cta.enter %order\ncta.leave %turn\ncta.sync\n" + kStore + kRelease +
                     "}\n}\n";
  Values x(8, 4);
  EXPECT_EQ(rows(text, 2, x), x) << harness.errors;
}

TEST_F(RoleTest, blocksThatWriteOnePlaceRace) {
  std::string text = "cta.role \"same\" warps 1 {\n%t = arith.constant dense<2.0> : !tile\n"
                     "tile.store %t, %y[%c0, %c0] extents [1, 4] : !tile, !view, i32, i32\n}\n";
  rows(text, 1, Values(4), /*grid=*/2);
  EXPECT_NE(harness.errors.find("race on element [0, 0]"), std::string::npos) << harness.errors;
}

} // namespace tilewright::simulator
