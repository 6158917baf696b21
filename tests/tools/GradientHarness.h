//===- GradientHarness.h - gradients against differences of their forward, in f64 -------------===//
#ifndef TILEWRIGHT_TESTS_TOOLS_GRADIENTHARNESS_H
#define TILEWRIGHT_TESTS_TOOLS_GRADIENTHARNESS_H

#include "tools/driver/FiniteDifferences.h"
#include "tools/driver/Gradient.h"
#include "tools/driver/HostTensor.h"

#include <deque>
#include <map>
#include <set>

namespace tilewright::driver {

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
  runtime::Argument tensor(const KernelText &gradient, const frontend::Param &param,
                           const Case &test);
  std::deque<std::vector<int64_t>> strides;
};

/// The derivatives of a kernel's gradient, beside differences; or why there are none.
ErrorOr<std::vector<DirectionalDerivative>> differences(ErrorOr<KernelTextPtr> forward,
                                                        const Case &test);
void expectGradients(ErrorOr<KernelTextPtr> forward, const Case &test);

/// A kernel whose last lines are given, with rows of x and y, and columns of w.
KernelTextPtr kernelOf(const std::string &body);
Case rowsOf(int64_t rows = 7, int64_t columns = 13);
void expectBody(const std::string &body, std::vector<std::string> wrt = {"x"});
/// The error that a body's gradient is, at its place.
std::string errorOf(const std::string &body, std::vector<std::string> wrt = {"x"});

} // namespace tilewright::driver

#endif
