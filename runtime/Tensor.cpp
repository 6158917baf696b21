//===- Tensor.cpp - Facts about tensors -----------------------------------===//

#include "runtime/Tensor.h"

#include <algorithm>
#include <limits>

namespace tilewright::runtime {

bool isEmpty(const TensorRef &tensor) {
  for (unsigned axis = 0; axis < tensor.rank; ++axis)
    if (tensor.shape[axis] == 0)
      return true;
  return false;
}

TensorFacts facts(const TensorRef &tensor) {
  // A 16 in the mix caps the alignment at 16; the lowest set bit of an OR is the smallest of all.
  uint64_t addressBits = 16 | reinterpret_cast<uintptr_t>(tensor.data);
  int64_t lastOffset = 0;
  TensorFacts result{.unitInnerStride = true, .index32 = true};
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.shape[axis] <= 1)
      continue;
    int64_t stride = tensor.strides[axis];
    if (stride < 0)
      addressBits |= 8; // TMA, which is for what is aligned to 16, cannot go backwards
    if (axis + 1 == tensor.rank)
      result.unitInnerStride = stride == 1;
    else
      addressBits |= static_cast<uint64_t>(stride) * bytesOf(tensor.type);
    // Strides of both signs add up here: the bound holds for the lowest offset as well.
    int64_t magnitude = stride < 0 ? -stride : stride, extent;
    if (__builtin_mul_overflow(tensor.shape[axis] - 1, magnitude, &extent) ||
        __builtin_add_overflow(lastOffset, extent, &lastOffset))
      lastOffset = std::numeric_limits<int64_t>::max();
  }
  result.alignment = static_cast<unsigned>(addressBits & -addressBits);
  result.index32 = lastOffset <= std::numeric_limits<int32_t>::max() || isEmpty(tensor);
  return result;
}

unsigned rowAlignment(const TensorRef &tensor) {
  uint64_t bytes = 16 | uint64_t(tensor.shape[tensor.rank - 1]) * bytesOf(tensor.type);
  return static_cast<unsigned>(bytes & -bytes);
}

TensorFacts facts(const TensorRef &tensor, bool isWritten) {
  TensorFacts result = facts(tensor);
  if (isWritten && tensor.rank > 1)
    result.alignment = std::min(result.alignment, rowAlignment(tensor));
  return result;
}

} // namespace tilewright::runtime
