#include "tools/driver/Interpret.h"

#include "ir/tile/Tile.h"
#include "runtime/ScalarEncoding.h"

#include <cstring>
#include <deque>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::Param;
using runtime::Argument;
using runtime::TensorRef;

static Error fail(const KernelModule &module, const Param &param, const std::string &what) {
  return {"kernel `" + module.text().kernel + "`: argument `" + param.name + "` " + what};
}

namespace {

/// The memory of a call's tensors. Tensors that overlap are in one buffer, as the interpreter
/// requires.
class Memory {
public:
  /// The span of a tensor's elements becomes part of a buffer.
  Status add(const KernelModule &module, const Param &param, const TensorRef &tensor,
             mlir::Type elementType);
  /// A view of a tensor that was added. The memory must outlive it.
  simulator::ViewValue view(const TensorRef &tensor, mlir::Type elementType);

private:
  struct Span {
    char *begin, *end;
    simulator::Buffer buffer;
    const Param *param;
  };
  static Span spanOf(const TensorRef &tensor);

  std::deque<Span> spans; // disjoint; a deque, since views point to the buffers
};

Memory::Span Memory::spanOf(const TensorRef &tensor) {
  char *data = static_cast<char *>(tensor.data);
  if (runtime::isEmpty(tensor))
    return {data, data, {}, nullptr};
  int64_t low = 0, high = 1;
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    int64_t reach = (tensor.shape[axis] - 1) * tensor.strides[axis];
    (reach < 0 ? low : high) += reach;
  }
  int64_t bytes = bytesOf(tensor.type);
  return {data + low * bytes, data + high * bytes, {}, nullptr};
}

Status Memory::add(const KernelModule &module, const Param &param, const TensorRef &tensor,
                   mlir::Type elementType) {
  Span joined = spanOf(tensor);
  for (auto span = spans.begin(); span != spans.end();) {
    if (joined.begin >= span->end || span->begin >= joined.end) {
      ++span;
      continue;
    }
    if (span->buffer.elementType != elementType)
      return fail(module, param,
                  "shares memory with `" + span->param->name + "` but has another dtype");
    joined.begin = std::min(joined.begin, span->begin);
    joined.end = std::max(joined.end, span->end);
    span = spans.erase(span);
  }
  joined.buffer = {elementType, joined.begin,
                   (joined.end - joined.begin) / int64_t(bytesOf(tensor.type)), true};
  joined.param = &param;
  spans.push_back(joined);
  return {};
}

simulator::ViewValue Memory::view(const TensorRef &tensor, mlir::Type elementType) {
  Span wanted = spanOf(tensor);
  Span *found = &spans.front();
  for (Span &span : spans) // empty tensors may lie at one place, whatever their dtypes
    if (span.begin <= wanted.begin && wanted.end <= span.end &&
        span.buffer.elementType == elementType)
      found = &span;
  simulator::ViewValue view;
  view.buffer = &found->buffer;
  view.offset = (static_cast<char *>(tensor.data) - found->begin) / bytesOf(tensor.type);
  view.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  view.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  return view;
}

} // namespace

/// The value that a launch would pass for this scalar.
static ErrorOr<simulator::Argument> scalarValue(const KernelModule &module, const Param &param,
                                                const Argument &argument) {
  llvm::StringRef dtype = frontend::dtypeName(*param.dtype);
  auto type = *runtime::elementTypeByName({dtype.data(), dtype.size()});
  std::byte bytes[8] = {};
  if (Status encoded = runtime::encodeScalar(argument, type, bytes); !encoded)
    return fail(module, param, encoded.error().message);
  if (!frontend::isFloat(*param.dtype)) {
    const auto *flag = std::get_if<bool>(&argument);
    return simulator::Argument(flag ? int64_t(*flag) : std::get<int64_t>(argument));
  }
  float value;
  std::memcpy(&value, bytes, sizeof(value));
  return simulator::Argument(double(value));
}

ErrorOr<simulator::Statistics> driver::interpret(KernelModule &module, const Call &call,
                                                 const simulator::Options &options) {
  Memory memory;
  for (auto [param, argument, type] :
       llvm::zip(call.params, call.arguments, module.kernel().getArgumentTypes())) {
    const auto *tensor = std::get_if<TensorRef>(&argument);
    if (!tensor)
      continue;
    if (tensor->device >= 0)
      return fail(module, *param,
                  "is on GPU " + std::to_string(tensor->device) + ", not in host memory");
    TILEWRIGHT_TRY(
        memory.add(module, *param, *tensor, mlir::cast<tile::ViewType>(type).getElementType()));
  }
  std::vector<simulator::Argument> arguments;
  for (auto [param, argument, type] :
       llvm::zip(call.params, call.arguments, module.kernel().getArgumentTypes())) {
    if (const auto *tensor = std::get_if<TensorRef>(&argument)) {
      auto viewType = mlir::cast<tile::ViewType>(type);
      arguments.push_back(memory.view(*tensor, viewType.getElementType()));
    } else {
      TILEWRIGHT_ASSIGN(simulator::Argument value, scalarValue(module, *param, argument));
      arguments.push_back(value);
    }
  }
  return module.interpret(arguments, options);
}
