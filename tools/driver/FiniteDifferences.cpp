#include "tools/driver/FiniteDifferences.h"

#include "ir/tile/Tile.h"
#include "simulator/WidenFloats.h"
#include "tools/driver/Gradient.h"
#include "tools/driver/HostTensor.h"
#include "tools/driver/KernelModule.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <deque>
#include <random>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::Param;
using runtime::TensorRef;

/// Small enough that a bend of the forward is rarely within it, and large against rounding.
static constexpr double kStep = 1e-5;

namespace {

/// A tensor in row-major order: its floats, or the bytes of its integers.
struct Numbers {
  std::vector<int64_t> shape;
  std::vector<double> floats;
  std::vector<char> bytes;
  bool isFloat = false;

  int64_t size() const {
    int64_t size = 1;
    for (int64_t extent : shape)
      size *= extent;
    return size;
  }
};
using Tensors = std::map<std::string, Numbers>;

/// A kernel whose floats are f64.
class WideKernel {
public:
  static ErrorOr<WideKernel> create(const KernelTextPtr &text,
                                    const frontend::Specialisation &bound) {
    TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, bound));
    simulator::widenFloats(module.kernel());
    return WideKernel(std::move(module));
  }
  Status run(Tensors &tensors, const std::map<std::string, simulator::Argument> &scalars);

private:
  explicit WideKernel(KernelModule module) : module(std::move(module)) {}
  KernelModule module;
};

Status WideKernel::run(Tensors &tensors,
                       const std::map<std::string, simulator::Argument> &scalars) {
  mlir::func::FuncOp kernel = module.kernel();
  std::vector<simulator::Argument> arguments;
  std::deque<simulator::Buffer> buffers;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    std::string name = kernel.getArgAttrOfType<mlir::StringAttr>(index, tile::kNameAttr).str();
    auto view = mlir::dyn_cast<tile::ViewType>(type);
    if (!view) {
      arguments.push_back(scalars.at(name));
      continue;
    }
    Numbers &numbers = tensors.at(name);
    void *data =
        numbers.isFloat ? static_cast<void *>(numbers.floats.data()) : numbers.bytes.data();
    buffers.push_back({view.getElementType(), data, numbers.size(), true});
    arguments.push_back(simulator::makeView(buffers.back(), numbers.shape));
  }
  TILEWRIGHT_TRY(module.interpret(arguments));
  return {};
}

/// One comparison: the numbers of a call, and both kernels.
class GradientTrial {
public:
  GradientTrial(const KernelText &gradient, const Call &call, uint64_t seed)
      : gradient(gradient), forward(*gradient.forward), random(seed) {
    take(call);
    addOutputs();
  }

  ErrorOr<std::vector<DirectionalDerivative>> run(WideKernel &backwards, WideKernel &forwards);

private:
  void take(const Call &call);
  void addOutputs();
  ErrorOr<double> loss(WideKernel &forwards);
  ErrorOr<DirectionalDerivative> along(const std::string &tensor, WideKernel &forwards);

  const KernelText &gradient;
  const KernelText &forward;
  std::mt19937_64 random;
  Tensors tensors;
  std::map<std::string, simulator::Argument> scalars;
  std::map<std::string, int64_t> sizes;
};

/// The elements of a tensor one behind the other.
HostTensor gathered(const TensorRef &tensor) {
  HostTensor result(tensor.type, {tensor.shape, tensor.shape + tensor.rank});
  size_t bytes = bytesOf(tensor.type);
  for (int64_t element = 0; element < result.size(); ++element) {
    int64_t offset = 0, rest = element;
    for (unsigned axis = tensor.rank; axis-- > 0; rest /= tensor.shape[axis])
      offset += rest % tensor.shape[axis] * tensor.strides[axis];
    const char *data = static_cast<const char *>(tensor.data) + offset * int64_t(bytes);
    std::memcpy(result.bytes.data() + size_t(element) * bytes, data, bytes);
  }
  return result;
}

Numbers numbersOf(const TensorRef &tensor) {
  HostTensor values = gathered(tensor);
  Numbers numbers{values.shape};
  numbers.isFloat = runtime::info(tensor.type).kind == runtime::ElementKind::Float;
  if (!numbers.isFloat)
    numbers.bytes = std::move(values.bytes);
  else
    for (int64_t element = 0; element < values.size(); ++element)
      numbers.floats.push_back(values.value(element));
  return numbers;
}

/// Inputs, and gradients of outputs, as they are; gradients of inputs are 0.
void GradientTrial::take(const Call &call) {
  for (auto [param, argument] : llvm::zip(call.params, call.arguments)) {
    const auto *tensor = std::get_if<TensorRef>(&argument);
    if (!tensor) {
      if (const auto *number = std::get_if<double>(&argument))
        scalars[param->name] = double(float(*number));
      else if (const auto *flag = std::get_if<bool>(&argument))
        scalars[param->name] = int64_t(*flag);
      else if (frontend::isFloat(*param->dtype))
        scalars[param->name] = double(std::get<int64_t>(argument));
      else
        scalars[param->name] = std::get<int64_t>(argument);
      continue;
    }
    Numbers &numbers = tensors[param->name] = numbersOf(*tensor);
    if (param->written)
      std::fill(numbers.floats.begin(), numbers.floats.end(), 0.0);
    for (auto [dim, size] : llvm::zip(param->dims, numbers.shape))
      sizes[dim.name] = size;
  }
}

/// What the forward writes: zeros.
void GradientTrial::addOutputs() {
  for (const Param &param : forward.signature().params) {
    if (param.kind != Param::Tensor || tensors.contains(param.name))
      continue;
    if (param.optional && !tensors.contains(gradientName(param.name)))
      continue;
    Numbers &numbers = tensors[param.name];
    for (const frontend::Dim &dim : param.dims)
      numbers.shape.push_back(dim.name.empty() ? dim.size : sizes[dim.name]);
    numbers.isFloat = !param.dtype || frontend::isFloat(*param.dtype);
    numbers.floats.resize(size_t(numbers.size()));
    numbers.bytes.resize(size_t(numbers.size()) * 8);
  }
}

ErrorOr<double> GradientTrial::loss(WideKernel &forwards) {
  for (const Param &param : forward.signature().params)
    if (param.written && tensors.contains(param.name))
      std::fill(tensors[param.name].floats.begin(), tensors[param.name].floats.end(), 0.0);
  TILEWRIGHT_TRY(forwards.run(tensors, scalars));
  double sum = 0;
  for (const Param &param : forward.signature().params) {
    auto given = tensors.find(gradientName(param.name));
    if (!param.written || given == tensors.end())
      continue;
    const std::vector<double> &weights = given->second.floats, &values = tensors[param.name].floats;
    for (size_t i = 0; i < values.size(); ++i)
      sum += weights[i] * values[i];
  }
  return sum;
}

ErrorOr<DirectionalDerivative> GradientTrial::along(const std::string &tensor,
                                                    WideKernel &forwards) {
  std::vector<double> &values = tensors[tensor].floats, origin = values;
  const std::vector<double> &computed = tensors[gradientName(tensor)].floats;
  std::vector<double> direction(values.size());
  std::normal_distribution<double> normal;
  DirectionalDerivative result{tensor};
  double squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    direction[i] = normal(random);
    result.computed += computed[i] * direction[i];
    squares += std::pow(computed[i] * direction[i], 2);
  }
  auto lossAt = [&](double step) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = origin[i] + step * direction[i];
    ErrorOr<double> loss = this->loss(forwards);
    values = origin;
    return loss;
  };
  TILEWRIGHT_ASSIGN(double after, lossAt(kStep));
  TILEWRIGHT_ASSIGN(double before, lossAt(-kStep));
  result.expected = (after - before) / (2 * kStep);
  double difference = std::abs(result.computed - result.expected);
  // Rounding the two sums leaves 1e-16 of them, over a step of 1e-5.
  double scale = std::sqrt(squares) + 1e-5 * std::abs(after) + DBL_MIN;
  result.error = std::isfinite(difference) ? difference / scale : INFINITY;
  return result;
}

ErrorOr<std::vector<DirectionalDerivative>> GradientTrial::run(WideKernel &backwards,
                                                               WideKernel &forwards) {
  TILEWRIGHT_ASSIGN([[maybe_unused]] double ran, loss(forwards)); // the outputs that are stored
  TILEWRIGHT_TRY(backwards.run(tensors, scalars));
  std::vector<DirectionalDerivative> results;
  for (const Param &param : gradient.signature().params) {
    if (param.kind != Param::Tensor || !param.written || !tensors.contains(param.name))
      continue;
    for (const Param &of : forward.signature().params)
      if (gradientName(of.name) == param.name) {
        TILEWRIGHT_ASSIGN(DirectionalDerivative found, along(of.name, forwards));
        results.push_back(std::move(found));
      }
  }
  return results;
}

} // namespace

ErrorOr<std::vector<DirectionalDerivative>>
driver::compareWithDifferences(const KernelTextPtr &gradient, const frontend::Specialisation &bound,
                               const Call &call, uint64_t seed) {
  TILEWRIGHT_ASSIGN(WideKernel backwards, WideKernel::create(gradient, bound));
  TILEWRIGHT_ASSIGN(WideKernel forwards,
                    WideKernel::create(gradient->forward, forwardOf(*gradient, bound)));
  return GradientTrial(*gradient, call, seed).run(backwards, forwards);
}
