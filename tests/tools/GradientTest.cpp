// Gradients of built-in kernels, with what they store, and as text.
#include "tests/tools/GradientHarness.h"
#include "tools/driver/Interpret.h"
#include "tools/driver/TileSource.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::driver;

//===- Kernels of kernels_src -----------------------------------------------------------------===//

TEST(Gradient, vectorAdd) { expectGradients(loadBuiltin("vector_add"), {.sizes = {{"N", 5000}}}); }
static const std::set<std::string> kNoResidual = {"residual", "dresidual", "added", "dadded"};
static const std::set<std::string> kResiduals[] = {kNoResidual, {"added", "dadded"}, {}};

/// Alone, with a sum before it, and with that sum as an output too.
TEST(Gradient, rmsNorm) {
  for (const std::set<std::string> &absent : kResiduals)
    expectGradients(loadBuiltin("rms_norm"), {.sizes = {{"M", 7}, {"D", 40}}, .absent = absent});
  expectGradients(
      loadBuiltin("rms_norm"),
      {.sizes = {{"M", 7}, {"D", 40}}, .settings = {{"shift", 1.0}}, .absent = kNoResidual});
}
TEST(Gradient, layerNorm) {
  for (const std::set<std::string> &absent : kResiduals)
    expectGradients(loadBuiltin("layer_norm"), {.sizes = {{"M", 7}, {"D", 40}}, .absent = absent});
}
TEST(Gradient, layerNormWithoutWeight) {
  std::set<std::string> absent = kNoResidual;
  absent.insert({"weight", "dweight", "bias", "dbias"});
  expectGradients(loadBuiltin("layer_norm"), {.sizes = {{"M", 7}, {"D", 40}}, .absent = absent});
}
TEST(Gradient, softmax) {
  for (const char *name : {"softmax", "log_softmax"})
    expectGradients(loadBuiltin(name), {.sizes = {{"M", 7}, {"D", 33}}});
}
TEST(Gradient, crossEntropyOfRows) {
  for (double smoothing : {0.0, 0.1})
    expectGradients(loadBuiltin("cross_entropy_rows"),
                    {.sizes = {{"M", 7}, {"V", 33}},
                     .settings = {{"smoothing", smoothing}, {"z_loss", smoothing / 10}},
                     .integersBelow = 33});
}
TEST(Gradient, crossEntropyOfALayer) {
  for (bool smooth : {false, true}) {
    Case test{.sizes = {{"M", 20}, {"V", 150}, {"K", 24}, {"P", 2}}, .integersBelow = 150};
    if (!smooth)
      test.absent = {"sums", "dsums"};
    test.settings = {{"BM", int64_t(16)}, {"BK", int64_t(16)}};
    expectGradients(loadBuiltin("linear_cross_entropy"), test);
    test.settings = {{"smoothing", smooth ? 0.1 : 0.0}, {"BK", int64_t(64)}};
    expectGradients(loadBuiltin("linear_cross_entropy_loss"), test);
  }
}
TEST(Gradient, activations) {
  Settings settings = {{"BN", int64_t(1024)}};
  for (const char *name : {"gelu", "geglu", "relu2"})
    expectGradients(loadBuiltin(name), {.sizes = {{"M", 3}, {"N", 70}}, .settings = settings});
  settings.emplace_back("approximate", true);
  for (const char *name : {"gelu", "geglu"})
    expectGradients(loadBuiltin(name), {.sizes = {{"M", 3}, {"N", 70}}, .settings = settings});
}
TEST(Gradient, dropout) {
  expectGradients(loadBuiltin("dropout"),
                  {.sizes = {{"M", 3}, {"N", 70}}, .settings = {{"BN", int64_t(1024)}}});
}
/// Rows that are taken several times, and with the padding one that is left out.
TEST(Gradient, embedding) {
  expectGradients(loadBuiltin("embedding"), {.sizes = {{"N", 19}, {"V", 9}, {"D", 20}}});
}
TEST(Gradient, transpose) {
  expectGradients(loadBuiltin("transpose"), {.sizes = {{"B", 2}, {"M", 35}, {"N", 20}}});
}
TEST(Gradient, swiglu) {
  expectGradients(loadBuiltin("swiglu"),
                  {.sizes = {{"M", 3}, {"N", 70}}, .settings = {{"BN", int64_t(64)}}});
}
TEST(Gradient, reduceSum) {
  expectGradients(
      loadBuiltin("reduce_sum"),
      {.sizes = {{"N", 3000}}, .settings = {{"PROGRAMS", int64_t(2)}, {"BN", int64_t(512)}}});
}
TEST(Gradient, reduceSumRows) {
  expectGradients(loadBuiltin("reduce_sum_rows"), {.sizes = {{"M", 7}, {"D", 33}}});
}
TEST(Gradient, reduceMaxRows) {
  expectGradients(loadBuiltin("reduce_max_rows"), {.sizes = {{"M", 7}, {"D", 33}}});
}

static const Settings kSmallTiles = {{"BM", int64_t(16)}, {"BN", int64_t(16)}, {"BK", int64_t(16)}};

TEST(Gradient, matmul) {
  for (const char *name : {"matmul", "matmul_nt", "matmul_tn", "matmul_tt"})
    expectGradients(loadBuiltin(name),
                    {.sizes = {{"M", 20}, {"N", 24}, {"K", 40}}, .settings = kSmallTiles});
}
TEST(Gradient, geluLinear) {
  for (bool approximate : {false, true}) {
    Settings settings = kSmallTiles;
    settings.emplace_back("approximate", approximate);
    expectGradients(loadBuiltin("gelu_linear"),
                    {.sizes = {{"M", 20}, {"N", 24}, {"K", 40}}, .settings = settings});
  }
}
TEST(Gradient, swigluMlp) {
  for (const char *name : {"swiglu_mlp", "swiglu_mlp_down"})
    expectGradients(loadBuiltin(name),
                    {.sizes = {{"M", 20}, {"N", 24}, {"K", 40}}, .settings = kSmallTiles});
}
TEST(Gradient, matmulOfNarrowOperands) {
  expectGradients(loadBuiltin("matmul_mixed"),
                  {.sizes = {{"M", 20}, {"N", 24}, {"K", 70}, {"KB", 2}},
                   .settings = kSmallTiles,
                   .of = {{"a", "b", "b_scales"}, {}}});
  expectGradients(loadBuiltin("matmul_scaled"),
                  {.sizes = {{"M", 20}, {"N", 24}, {"K", 40}}, .settings = kSmallTiles});
}

//===- Stored values --------------------------------------------------------------------------===//

static KernelTextPtr scanOf(const std::string &update) {
  auto kernel = loadKernelText("from tilewright import *\nT, D = dims(\"T D\")\n@kernel\n"
                               "def f(a: Tensor[f32, T, D], b: Tensor[f32, T, D], "
                               "h: Tensor[f32, T, D], s: Tensor[f32, D], y: Tensor[f32, T, D]):\n"
                               "    cols = block(grid(cdiv(D, 8)), 8)\n"
                               "    state = s[cols]\n"
                               "    for t in range(T):\n" +
                                   update,
                               "kernel.py", "f");
  EXPECT_TRUE(bool(kernel)) << kernel.error().message;
  return kernel ? *kernel : nullptr;
}

// The state that an iteration starts with is the one that the iteration before has stored.
TEST(Gradient, recurrenceOfAStoredState) {
  for (int64_t steps : {1, 2, 9})
    expectGradients(scanOf("        y[t, cols] = state * b[t, cols]\n"
                           "        state = a[t, cols] * state + b[t, cols]\n"
                           "        h[t, cols] = state\n"),
                    {.sizes = {{"T", steps}, {"D", 13}}, .of = {{}, {}, {"h"}}});
}
TEST(Gradient, recurrenceThatIsNotLinear) {
  expectGradients(scanOf("        state = tanh(a[t, cols] * state + b[t, cols])\n"
                         "        h[t, cols] = state\n"),
                  {.sizes = {{"T", 7}, {"D", 13}}, .of = {{"a", "b", "s"}, {"h"}, {"h"}}});
}
TEST(Gradient, refusesStatesThatAreNotStored) {
  Case test{.sizes = {{"T", 7}, {"D", 13}}, .of = {{"a"}, {"y"}, {"h"}}};
  auto found = differences(scanOf("        state = a[t, cols] * state + b[t, cols]\n"
                                  "        h[0, cols] = state\n"
                                  "        y[t, cols] = state\n"),
                           test);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("the gradient needs `state`"), std::string::npos)
      << found.error().message;
}

//===- As text --------------------------------------------------------------------------------===//

/// What a kernel leaves in its tensors.
static std::vector<std::vector<char>> resultsOf(const KernelTextPtr &kernel, Arguments &arguments,
                                                const Settings &settings) {
  std::vector<std::vector<char>> results;
  auto call = arrange(kernel->signature(), arguments.list);
  EXPECT_TRUE(bool(call)) << (call ? "" : call.error().message);
  auto bound = specialise(kernel->signature(), *call, settings);
  EXPECT_TRUE(bool(bound)) << (bound ? "" : bound.error().message);
  auto module = KernelModule::lower(kernel, *bound);
  EXPECT_TRUE(bool(module)) << (module ? "" : module.error().message);
  if (!module)
    return results;
  auto done = interpret(*module, *call);
  EXPECT_TRUE(bool(done)) << (done ? "" : done.error().message);
  for (const HostTensor &tensor : arguments.tensors)
    results.push_back(tensor.bytes);
  return results;
}

/// The gradient, printed in the language and read again, gives the same numbers.
static void expectSameText(const char *name, const Case &test) {
  KernelTextPtr gradient = *gradientOf(*loadBuiltin(name));
  Arguments first(*gradient, test), second(*gradient, test);
  auto call = arrange(gradient->signature(), first.list);
  auto bound = specialise(gradient->signature(), *call, test.settings);
  auto module = KernelModule::lower(gradient, *bound);
  ASSERT_TRUE(bool(module)) << module.error().message;
  auto text = tileSource(module->kernel());
  ASSERT_TRUE(bool(text)) << text.error().message;
  auto printed = loadKernelText(*text, "printed.py", "");
  ASSERT_TRUE(bool(printed)) << printed.error().message << *text;
  auto expected = resultsOf(gradient, first, test.settings);
  EXPECT_EQ(resultsOf(*printed, second, {}), expected) << *text;
}

TEST(Gradient, isPrintedAsTextThatMeansTheSame) {
  expectSameText("vector_add", {.sizes = {{"N", 5000}}});
  for (const char *name : {"rms_norm", "layer_norm", "softmax", "log_softmax", "reduce_max_rows"})
    expectSameText(name, {.sizes = {{"M", 7}, {"D", 33}}});
  for (const char *name : {"swiglu", "dropout"})
    expectSameText(name, {.sizes = {{"M", 3}, {"N", 70}}, .settings = {{"BN", int64_t(64)}}});
  expectSameText("cross_entropy_rows", {.sizes = {{"M", 7}, {"V", 33}}});
  expectSameText("embedding", {.sizes = {{"N", 7}, {"V", 9}, {"D", 33}}});
  expectSameText(
      "linear_cross_entropy_loss",
      {.sizes = {{"M", 20}, {"V", 150}, {"K", 24}, {"P", 2}}, .settings = {{"smoothing", 0.1}}});
  for (const char *name : {"matmul_nt", "gelu_linear", "swiglu_mlp"})
    expectSameText(name, {.sizes = {{"M", 20}, {"N", 24}, {"K", 40}}, .settings = kSmallTiles});
}
