#include "tests/simulator/Harness.h"

#include <gtest/gtest.h>

namespace tilewright::simulator {

using Values = std::vector<double>;

class ShapeTest : public testing::Test {
protected:
  /// Runs a body that makes %r of shape `to` from %a of shape `from`, both of i32.
  Values shape(const std::string &body, std::vector<int64_t> from, std::vector<int64_t> to,
               Values values) {
    Array &input = harness.array("i32", values);
    int64_t count = 1;
    for (int64_t size : to)
      count *= size;
    Array &output = harness.zeros("i32", count);
    bool ok = harness.run(
        "func.func @f(%in: !tile.view<" + dims(from) + "i32>, %out: !tile.view<" + dims(to) +
            "i32>) attributes {tile.kernel} {\n tile.grid []\n %z = arith.constant 0 : i32\n"
            "%a = tile.load %in[" +
            list("%z", from) + "] extents [" + sizes(from) + "] : !tile.view<" + dims(from) +
            "i32>, " + list("i32", from) + " -> tensor<" + dims(from) + "i32>\n" + body +
            "\n tile.store %r, %out[" + list("%z", to) + "] extents [" + sizes(to) + "] : tensor<" +
            dims(to) + "i32>, !tile.view<" + dims(to) + "i32>, " + list("i32", to) + "\n return\n}",
        {makeView(input.buffer, from), makeView(output.buffer, to)});
    EXPECT_TRUE(ok) << harness.errors;
    return output.values();
  }
  Harness harness;

private:
  static std::string dims(const std::vector<int64_t> &shape) {
    std::string text;
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text;
  }
  static std::string sizes(const std::vector<int64_t> &shape) {
    std::string text;
    for (int64_t size : shape)
      text += (text.empty() ? "" : ", ") + std::to_string(size);
    return text;
  }
  static std::string list(const std::string &item, const std::vector<int64_t> &shape) {
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i)
      text += (i ? ", " : "") + item;
    return text;
  }
};

TEST_F(ShapeTest, transposesAPlane) {
  EXPECT_EQ(shape("%r = tile.transpose %a [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>", {2, 3},
                  {3, 2}, {0, 1, 2, 3, 4, 5}),
            Values({0, 3, 1, 4, 2, 5}));
}

TEST_F(ShapeTest, permutesThreeAxes) {
  EXPECT_EQ(shape("%r = tile.transpose %a [2, 0, 1] : tensor<1x2x3xi32> -> tensor<3x1x2xi32>",
                  {1, 2, 3}, {3, 1, 2}, {0, 1, 2, 3, 4, 5}),
            Values({0, 3, 1, 4, 2, 5}));
}

TEST_F(ShapeTest, broadcastsRowsAndColumns) {
  EXPECT_EQ(shape("%c = tile.expand_dims %a, 1 : tensor<2xi32> -> tensor<2x1xi32>\n"
                  "%r = tile.broadcast %c : tensor<2x1xi32> -> tensor<2x3xi32>",
                  {2}, {2, 3}, {4, 5}),
            Values({4, 4, 4, 5, 5, 5}));
  EXPECT_EQ(shape("%c = tile.expand_dims %a, 0 : tensor<2xi32> -> tensor<1x2xi32>\n"
                  "%r = tile.broadcast %c : tensor<1x2xi32> -> tensor<3x2xi32>",
                  {2}, {3, 2}, {4, 5}),
            Values({4, 5, 4, 5, 4, 5}));
}

TEST_F(ShapeTest, splatsAndCounts) {
  EXPECT_EQ(shape("%k = arith.constant 7 : i32\n%s = tile.splat %k : i32 -> tensor<3xi32>\n"
                  "%n = tile.range %k : tensor<3xi32>\n%r = arith.addi %s, %n : tensor<3xi32>",
                  {1}, {3}, {0}),
            Values({14, 15, 16}));
}

} // namespace tilewright::simulator
