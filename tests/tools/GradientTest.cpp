// Gradients of kernels against differences of their forward, in f64.
#include "tools/driver/Gradient.h"

#include "passes/gradient/AdjointRules.h"
#include "simulator/Reference.h"
#include "tools/driver/FiniteDifferences.h"
#include "tools/driver/HostTensor.h"
#include "tools/driver/Interpret.h"
#include "tools/driver/TileSource.h"

#include "ir/tile/Tile.h"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::Param;

namespace {

struct Case {
  std::map<std::string, int64_t> sizes;
  Settings settings = {};
  std::set<std::string> absent = {};
  GradientOf of = {};
  /// Integer tensors: from 0 to before this, at random.
  int64_t integersBelow = 8;
};

/// The arguments of a gradient kernel, at random.
class Arguments {
public:
  Arguments(const KernelText &gradient, const Case &test);
  std::vector<runtime::Argument> list;
  std::deque<HostTensor> tensors;

private:
  runtime::Argument tensor(const KernelText &gradient, const Param &param, const Case &test);
  std::deque<std::vector<int64_t>> strides;
};

/// f32, or the first that the parameter may have.
frontend::Dtype dtypeOf(const KernelText &gradient, const Param &param) {
  if (param.dtype)
    return *param.dtype;
  for (const frontend::DtypeVariable &variable : gradient.signature().dtypes)
    if (variable.name == param.dtypeVariable &&
        !llvm::is_contained(variable.allowed, frontend::Dtype::F32))
      return variable.allowed.front();
  return frontend::Dtype::F32;
}

runtime::Argument Arguments::tensor(const KernelText &gradient, const Param &param,
                                    const Case &test) {
  std::vector<int64_t> shape;
  for (const frontend::Dim &dim : param.dims)
    shape.push_back(dim.name.empty() ? dim.size : test.sizes.at(dim.name));
  frontend::Dtype dtype = dtypeOf(gradient, param);
  llvm::StringRef name = frontend::dtypeName(dtype);
  auto type = *runtime::elementTypeByName({name.data(), name.size()});
  HostTensor &made = tensors.emplace_back(type, shape);
  made.randomize(tensors.size());
  if (!frontend::isFloat(dtype))
    for (int64_t i = 0; i < made.size(); ++i)
      made.set(i, double((i * 7 + 3) % test.integersBelow));
  std::vector<int64_t> &steps = strides.emplace_back(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    steps[axis - 1] = steps[axis] * shape[axis];
  return runtime::TensorRef{made.bytes.data(), made.type,    unsigned(shape.size()),
                            made.shape.data(), steps.data(), -1};
}

Arguments::Arguments(const KernelText &gradient, const Case &test) {
  for (const Param &param : gradient.signature().params) {
    if (param.kind == Param::Tensor)
      list.push_back(test.absent.contains(param.name) ? runtime::Argument(kNone)
                                                      : tensor(gradient, param, test));
    else if (param.kind == Param::Scalar && param.dtype == frontend::Dtype::F32)
      list.push_back(param.defaultValue ? std::get<double>(*param.defaultValue) : 0.5);
    else if (param.kind == Param::Scalar)
      list.push_back(int64_t(1));
  }
}

ErrorOr<std::vector<DirectionalDerivative>> differences(ErrorOr<KernelTextPtr> forward,
                                                        const Case &test) {
  if (!forward)
    return forward.error();
  TILEWRIGHT_ASSIGN(KernelTextPtr gradient, gradientOf(*forward, test.of));
  Arguments arguments(*gradient, test);
  TILEWRIGHT_ASSIGN(Call call, arrange(gradient->signature(), arguments.list));
  TILEWRIGHT_ASSIGN(frontend::Specialisation bound,
                    specialise(gradient->signature(), call, test.settings));
  return compareWithDifferences(gradient, bound, call, /*seed=*/1);
}

void expectGradients(ErrorOr<KernelTextPtr> forward, const Case &test) {
  auto found = differences(std::move(forward), test);
  ASSERT_TRUE(bool(found)) << found.error().message;
  EXPECT_FALSE(found->empty());
  for (const DirectionalDerivative &derivative : *found) {
    EXPECT_TRUE(derivative.ok()) << derivative.tensor << ": " << derivative.computed
                                 << " instead of " << derivative.expected;
    EXPECT_NE(derivative.expected, 0) << derivative.tensor;
  }
}

/// A kernel whose last lines are given, with rows of x and y, and columns of w.
KernelTextPtr kernelOf(const std::string &body) {
  std::string text = "from tilewright import *\n"
                     "M, N, D = dims(\"M N D\")\n"
                     "@kernel\n"
                     "def f(x: Tensor[f32, M, D], u: Tensor[f32, M, D], w: Tensor[f32, D], "
                     "ids: Tensor[i32, M], y: Tensor[f32, M, D], n: i32, *, "
                     "BR: tune[1, 2, 4] = 4, BC: tune[8, 16] = 8):\n"
                     "    i = grid(cdiv(M, BR))\n"
                     "    rows = block(i, BR)\n";
  auto kernel = loadKernelText(text + body, "kernel.py", "f");
  EXPECT_TRUE(bool(kernel)) << kernel.error().message;
  return kernel ? *kernel : nullptr;
}

Case rowsOf(int64_t rows = 7, int64_t columns = 13) {
  return {.sizes = {{"M", rows}, {"D", columns}, {"N", 5}}, .of = {{"x"}, {"y"}}};
}

void expectBody(const std::string &body, std::vector<std::string> wrt = {"x"}) {
  Case test = rowsOf();
  test.of.wrt = std::move(wrt);
  expectGradients(kernelOf(body), test);
}

/// The error that a body's gradient is, at its place.
std::string errorOf(const std::string &body, std::vector<std::string> wrt = {"x"}) {
  Case test = rowsOf();
  test.of.wrt = std::move(wrt);
  auto found = differences(kernelOf(body), test);
  return found ? "" : found.error().message;
}

} // namespace

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

//===- Rules ----------------------------------------------------------------------------------===//

TEST(Gradient, arithmetic) {
  expectBody("    v, t = x[rows, :], u[rows, :]\n"
             "    y[rows, :] = v * t - v / (t * t + 1) + fma(v, t, -v) + v**3\n",
             {"x", "u"});
}
TEST(Gradient, choices) {
  expectBody("    v, t = x[rows, :], u[rows, :]\n"
             "    y[rows, :] = maximum(v, t) * minimum(v, 0.1) + where(v > t, v * v, t) + abs(v)\n",
             {"x", "u"});
}
TEST(Gradient, functions) {
  expectBody("    v = x[rows, :]\n"
             "    p = v * v + 0.5\n"
             "    a = exp(v) + exp2(v) * log(p) + log2(p) + sqrt(p) + rsqrt(p)\n"
             "    y[rows, :] = a + sin(v) * cos(v) + tanh(v) + erf(v) * sigmoid(v) + floor(v)\n");
}
TEST(Gradient, sigmoidOfLargeNumbersIsNoNan) {
  expectBody("    v = x[rows, :]\n"
             "    y[rows, :] = sigmoid(v * 1000) + sigmoid(v)\n");
}
TEST(Gradient, whatAWhereLeavesOutIsNoNan) {
  expectBody("    v = x[rows, :]\n"
             "    y[rows, :] = where(v > 0.5, log(v) + sqrt(v) + 1 / maximum(v, 0), v)\n");
}
TEST(Gradient, whatLiesOutsideIsNoNan) {
  expectBody("    for j in range(cdiv(D, BC)):\n"
             "        c = block(j, BC)\n"
             "        y[rows, c] = u[rows, 0][:, None] / w[c]\n",
             {"u", "w"});
}
TEST(Gradient, broadcastsAndScalars) {
  expectBody("    s = x[i, 0]\n"
             "    y[rows, :] = u[rows, :] * (x[rows, 1][:, None] + w[:] * s) + sum(w[:])\n",
             {"x", "u", "w"});
}
TEST(Gradient, extremaAlongAnAxis) {
  expectBody("    v = x[rows, :]\n"
             "    a = max(v, axis=1)[:, None] * min(v, axis=0) + max(v)\n"
             "    y[rows, :] = a + argmax(v, axis=1)[:, None]\n");
}
TEST(Gradient, runningSum) {
  expectBody("    v = x[rows, :]\n"
             "    y[rows, :] = cumsum(v * v, axis=1) * u[rows, :] + cumsum(v, axis=0)\n");
}
TEST(Gradient, productsAndTransposes) {
  expectBody("    v, t = x[rows, :], u[rows, :]\n"
             "    y[rows, :] = dot(dot(v, t.T), v) + dot(v, dot(v.T, t))\n",
             {"x", "u"});
}
TEST(Gradient, gather) {
  expectBody("    y[rows, :] = x[ids[rows], :] * u[rows, :]\n", {"x", "u"});
}
TEST(Gradient, crossEntropy) {
  expectBody("    z = x[i, :]\n"
             "    top = max(z)\n"
             "    y[i, :] = log(sum(exp(z - top))) + top - x[i, ids[i]] + 0 * z\n");
}
TEST(Gradient, overlappingLoads) {
  expectBody("    y[rows, :] = x[rows, :] * x[rows + 1, :] + x[i, :]\n");
}

//===- Control --------------------------------------------------------------------------------===//

TEST(Gradient, normOfRowsInTwoLoops) {
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
TEST(Gradient, softmaxOfRowsInLoops) {
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
TEST(Gradient, linearRecurrence) {
  expectBody("    h = zeros((BR,), f32)\n"
             "    for j in range(D):\n"
             "        h = h * u[rows, j] + x[rows, j]\n"
             "        y[rows, j] = h\n");
}
TEST(Gradient, nestedLoops) {
  expectBody("    for j in range(D):\n"
             "        s = zeros((BR,), f32)\n"
             "        for k in range(0, D, 3):\n"
             "            s += x[rows, k] * x[rows, j] * w[j]\n"
             "        y[rows, j] = s * s\n",
             {"x", "w"});
}
TEST(Gradient, branches) {
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

TEST(Gradient, refusesWhile) {
  expectError(errorOf("    s = x[i, 0]\n"
                      "    while s > 1:\n"
                      "        s = s / 2\n"
                      "    y[rows, :] = s\n"),
              "8", "write a `for` with a bound");
}
TEST(Gradient, refusesCarriedValuesThatARuleNeeds) {
  expectError(errorOf("    h = zeros((BR,), f32)\n"
                      "    for j in range(D):\n"
                      "        h = h * x[rows, j]\n"
                      "    y[rows, :] = h[:, None]\n"),
              "9", "the gradient needs `h`");
}
TEST(Gradient, refusesTwoStoresToOnePlace) {
  expectError(errorOf("    y[rows, :] = x[rows, :]\n"
                      "    y[rows, 0] = x[rows, 1]\n"),
              "8", "`y` is stored here and elsewhere");
}
TEST(Gradient, refusesWhatIsLoadedAndStored) {
  expectError(errorOf("    y[rows, :] += x[rows, :]\n"), "7", "`y` is stored and loaded");
}
TEST(Gradient, refusesNamesThatAreNone) {
  EXPECT_NE(errorOf("    y[rows, :] = x[rows, :]\n", {"z"}).find("no input `z` of floats"),
            std::string::npos);
  EXPECT_NE(errorOf("    y[rows, :] = x[rows, :]\n", {"ids"}).find("no input `ids`"),
            std::string::npos);
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

TEST(Gradient, everyOpHasARuleOrAReason) {
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect>();
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == "tile")
      EXPECT_TRUE(passes::findAdjointRule(op.getStringRef())) << op.getStringRef().str();
  for (const std::string &name : simulator::interpretedOps())
    if (givesFloats(name))
      EXPECT_TRUE(passes::findAdjointRule(name)) << name;
}
