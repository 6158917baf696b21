// The rules of differentiation, one by one, and what is refused.
#include "passes/gradient/AdjointRules.h"
#include "simulator/Reference.h"
#include "tests/tools/GradientHarness.h"

#include "ir/tile/Tile.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::driver;

//===- Rules ----------------------------------------------------------------------------------===//

TEST(GradientRules, arithmetic) {
  expectBody("    v, t = x[rows, :], u[rows, :]\n"
             "    y[rows, :] = v * t - v / (t * t + 1) + fma(v, t, -v) + v**3\n",
             {"x", "u"});
}
TEST(GradientRules, choices) {
  expectBody("    v, t = x[rows, :], u[rows, :]\n"
             "    y[rows, :] = maximum(v, t) * minimum(v, 0.1) + where(v > t, v * v, t) + abs(v)\n",
             {"x", "u"});
}
TEST(GradientRules, functions) {
  expectBody("    v = x[rows, :]\n"
             "    p = v * v + 0.5\n"
             "    a = exp(v) + exp2(v) * log(p) + log2(p) + sqrt(p) + rsqrt(p)\n"
             "    y[rows, :] = a + sin(v) * cos(v) + tanh(v) + erf(v) * sigmoid(v) + floor(v)\n");
}
TEST(GradientRules, sigmoidOfLargeNumbersIsNoNan) {
  expectBody("    v = x[rows, :]\n"
             "    y[rows, :] = sigmoid(v * 1000) + sigmoid(v)\n");
}
TEST(GradientRules, whatAWhereLeavesOutIsNoNan) {
  expectBody("    v = x[rows, :]\n"
             "    y[rows, :] = where(v > 0.5, log(v) + sqrt(v) + 1 / maximum(v, 0), v)\n");
}
TEST(GradientRules, whatLiesOutsideIsNoNan) {
  expectBody("    for j in range(cdiv(D, BC)):\n"
             "        c = block(j, BC)\n"
             "        y[rows, c] = u[rows, 0][:, None] / w[c]\n",
             {"u", "w"});
}
TEST(GradientRules, broadcastsAndScalars) {
  expectBody("    s = x[i, 0]\n"
             "    y[rows, :] = u[rows, :] * (x[rows, 1][:, None] + w[:] * s) + sum(w[:])\n",
             {"x", "u", "w"});
}
TEST(GradientRules, extremaAlongAnAxis) {
  expectBody("    v = x[rows, :]\n"
             "    a = max(v, axis=1)[:, None] * min(v, axis=0) + max(v)\n"
             "    y[rows, :] = a + argmax(v, axis=1)[:, None]\n");
}
TEST(GradientRules, runningSum) {
  expectBody("    v = x[rows, :]\n"
             "    y[rows, :] = cumsum(v * v, axis=1) * u[rows, :] + cumsum(v, axis=0)\n");
}
TEST(GradientRules, productsAndTransposes) {
  expectBody("    v, t = x[rows, :], u[rows, :]\n"
             "    y[rows, :] = dot(dot(v, t.T), v) + dot(v, dot(v.T, t))\n",
             {"x", "u"});
}
TEST(GradientRules, gather) {
  expectBody("    y[rows, :] = x[ids[rows], :] * u[rows, :]\n", {"x", "u"});
}
TEST(GradientRules, crossEntropy) {
  expectBody("    z = x[i, :]\n"
             "    top = max(z)\n"
             "    y[i, :] = log(sum(exp(z - top))) + top - x[i, ids[i]] + 0 * z\n");
}
TEST(GradientRules, overlappingLoads) {
  expectBody("    y[rows, :] = x[rows, :] * x[rows + 1, :] + x[i, :]\n");
}

//===- Control --------------------------------------------------------------------------------===//

TEST(GradientRules, normOfRowsInTwoLoops) {
  expectBody("    total = zeros((BR,), f32)\n"
             "    for j in range(cdiv(D, BC)):\n"
             "        v = x[rows, block(j, BC)]\n"
             "        total += sum(v * v, axis=1)\n"
             "    scale = rsqrt(total / D + 0.1)[:, None]\n"
             "    for j in range(cdiv(D, BC)):\n"
             "        c = block(j, BC)\n"
             "        y[rows, c] = x[rows, c] * scale * w[c]\n",
             {"x", "w"});
}
TEST(GradientRules, softmaxOfRowsInLoops) {
  expectBody("    best, total = full((BR,), LOWEST, f32), zeros((BR,), f32)\n"
             "    for j in range(cdiv(D, BC)):\n"
             "        v = load(x[rows, block(j, BC)], fill=-inf)\n"
             "        best = maximum(best, max(v, axis=1))\n"
             "    for j in range(cdiv(D, BC)):\n"
             "        v = load(x[rows, block(j, BC)], fill=-inf)\n"
             "        total += sum(exp(v - best[:, None]), axis=1)\n"
             "    for j in range(cdiv(D, BC)):\n"
             "        c = block(j, BC)\n"
             "        y[rows, c] = exp(x[rows, c] - best[:, None]) / total[:, None]\n");
}
TEST(GradientRules, linearRecurrence) {
  expectBody("    h = zeros((BR,), f32)\n"
             "    for j in range(D):\n"
             "        h = h * u[rows, j] + x[rows, j]\n"
             "        y[rows, j] = h\n");
}
TEST(GradientRules, nestedLoops) {
  expectBody("    for j in range(D):\n"
             "        s = zeros((BR,), f32)\n"
             "        for k in range(0, D, 3):\n"
             "            s += x[rows, k] * x[rows, j] * w[j]\n"
             "        y[rows, j] = s * s\n",
             {"x", "w"});
}
TEST(GradientRules, branches) {
  expectBody("    v, s = x[rows, :], w[:]\n"
             "    if i % 2 == 0:\n"
             "        v = v * s\n"
             "    else:\n"
             "        v = v * v\n"
             "    y[rows, :] = v * x[rows, :]\n",
             {"x", "w"});
}

//===- What is refused ------------------------------------------------------------------------===//

static void expectError(const std::string &error, const std::string &line,
                        const std::string &words) {
  EXPECT_NE(error.find("kernel.py:" + line + ":"), error.npos) << error;
  EXPECT_NE(error.find(words), error.npos) << error;
}

TEST(GradientRules, refusesWhile) {
  expectError(errorOf("    s = x[i, 0]\n"
                      "    while s > 1:\n"
                      "        s = s / 2\n"
                      "    y[rows, :] = s\n"),
              "8", "write a `for` with a bound");
}
TEST(GradientRules, refusesCarriedValuesThatARuleNeeds) {
  expectError(errorOf("    h = zeros((BR,), f32)\n"
                      "    for j in range(D):\n"
                      "        h = h * x[rows, j]\n"
                      "    y[rows, :] = h[:, None]\n"),
              "9", "the gradient needs `h`");
}
TEST(GradientRules, refusesTwoStoresToOnePlace) {
  expectError(errorOf("    y[rows, :] = x[rows, :]\n"
                      "    y[rows, 0] = x[rows, 1]\n"),
              "8", "`y` is stored here and elsewhere");
}
TEST(GradientRules, refusesWhatIsLoadedAndStored) {
  expectError(errorOf("    y[rows, :] += x[rows, :]\n"), "7", "`y` is stored and loaded");
}
TEST(GradientRules, refusesNamesThatAreNone) {
  EXPECT_NE(errorOf("    y[rows, :] = x[rows, :]\n", {"z"}).find("no input `z` of floats"),
            std::string::npos);
  EXPECT_NE(errorOf("    y[rows, :] = x[rows, :]\n", {"ids"}).find("no input `ids`"),
            std::string::npos);
}

//===- All ops --------------------------------------------------------------------------------===//

static bool givesFloats(const std::string &name) {
  // Of arith and math, ops that no kernel has: the language has no word for them.
  static const std::set<std::string> unreachable = {
      "arith.remf",   "arith.maxnumf", "arith.minnumf", "arith.extf",    "arith.truncf",
      "arith.sitofp", "arith.uitofp",  "arith.bitcast", "math.expm1",    "math.log10",
      "math.log1p",   "math.tan",      "math.atan",     "math.acos",     "math.acosh",
      "math.asin",    "math.asinh",    "math.atanh",    "math.cbrt",     "math.cosh",
      "math.sinh",    "math.trunc",    "math.round",    "math.copysign", "math.powf",
      "math.atan2"};
  bool isMath = name.starts_with("math.") && name != "math.absi" && name != "math.ctpop" &&
                name != "math.ctlz" && name != "math.cttz";
  bool isFloat = name.starts_with("arith.") && name.ends_with("f");
  return (isMath || isFloat || name == "arith.select") && !unreachable.contains(name);
}

TEST(GradientRules, everyOpHasARuleOrAReason) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect>();
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == "tile")
      EXPECT_TRUE(passes::findAdjointRule(op.getStringRef())) << op.getStringRef().str();
  for (const std::string &name : simulator::interpretedOps())
    if (givesFloats(name))
      EXPECT_TRUE(passes::findAdjointRule(name)) << name;
}
