//===- Arguments.cpp - A caller's arguments as the runtime takes them -----===//

#include "cpp/Arguments.h"

#include <string>

using namespace tilewright;

// The enumerators are those of the runtime, in its order.
#define TILEWRIGHT_ELEMENT_TYPE(enumerator, name, bytes, kind)                                     \
  static_assert(int(ElementType::enumerator) == int(runtime::ElementType::enumerator));
#include "runtime/ElementTypes.def"
static_assert(runtime::kElementTypes.size() == size_t(ElementType::F32) + 1);

static std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

static ErrorOr<runtime::TensorRef> lowerTensor(const Tensor &tensor, size_t position,
                                               LoweredArguments &lowered) {
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size())
    return Error{"argument " + std::to_string(position) + " has " +
                 std::to_string(tensor.shape.size()) + " axes and " +
                 std::to_string(tensor.strides.size()) + " strides"};
  const std::vector<int64_t> *strides = &tensor.strides;
  if (strides->empty())
    strides = &lowered.strides.emplace_back(denseStrides(tensor.shape));
  return runtime::TensorRef{tensor.data,
                            runtime::ElementType(tensor.type),
                            unsigned(tensor.shape.size()),
                            tensor.shape.data(),
                            strides->data(),
                            tensor.device};
}

ErrorOr<LoweredArguments> tilewright::lowerArguments(const std::vector<Argument> &arguments,
                                                     bool keepAbsent) {
  LoweredArguments lowered;
  lowered.strides.reserve(arguments.size()); // so that none moves
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (const auto *tensor = std::get_if<Tensor>(&arguments[i])) {
      TILEWRIGHT_ASSIGN(runtime::TensorRef view, lowerTensor(*tensor, i, lowered));
      lowered.list.emplace_back(view);
    } else if (const auto *integer = std::get_if<int64_t>(&arguments[i])) {
      lowered.list.emplace_back(*integer);
    } else if (const auto *number = std::get_if<double>(&arguments[i])) {
      lowered.list.emplace_back(*number);
    } else if (const auto *flag = std::get_if<bool>(&arguments[i])) {
      lowered.list.emplace_back(*flag);
    } else if (keepAbsent) {
      lowered.list.emplace_back(runtime::TensorRef{});
    }
  }
  return lowered;
}
