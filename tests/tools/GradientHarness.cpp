#include "tests/tools/GradientHarness.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::Param;

/// f32, or the first that the parameter may have.
static frontend::Dtype dtypeOf(const KernelText &gradient, const Param &param) {
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

ErrorOr<std::vector<DirectionalDerivative>> driver::differences(ErrorOr<KernelTextPtr> forward,
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

void driver::expectGradients(ErrorOr<KernelTextPtr> forward, const Case &test) {
  auto found = differences(std::move(forward), test);
  ASSERT_TRUE(bool(found)) << found.error().message;
  EXPECT_FALSE(found->empty());
  for (const DirectionalDerivative &derivative : *found) {
    EXPECT_TRUE(derivative.ok()) << derivative.tensor << ": " << derivative.computed
                                 << " instead of " << derivative.expected;
    EXPECT_NE(derivative.expected, 0) << derivative.tensor;
  }
}

KernelTextPtr driver::kernelOf(const std::string &body) {
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

Case driver::rowsOf(int64_t rows, int64_t columns) {
  return {.sizes = {{"M", rows}, {"D", columns}, {"N", 5}}, .of = {{"x"}, {"y"}}};
}

void driver::expectBody(const std::string &body, std::vector<std::string> wrt) {
  Case test = rowsOf();
  test.of.wrt = std::move(wrt);
  expectGradients(kernelOf(body), test);
}

std::string driver::errorOf(const std::string &body, std::vector<std::string> wrt) {
  Case test = rowsOf();
  test.of.wrt = std::move(wrt);
  auto found = differences(kernelOf(body), test);
  return found ? "" : found.error().message;
}
