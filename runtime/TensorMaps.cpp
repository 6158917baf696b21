//===- TensorMaps.cpp - TMA descriptors -----------------------------------===//

#include "runtime/TensorMaps.h"

#include <algorithm>

namespace tilewright::runtime {

/// CUtensorMapDataType. Narrow floats travel as bytes; bool too.
static int dataTypeOf(ElementType type) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return 0; // UINT8
  case ElementType::I16:
    return 1; // UINT16
  case ElementType::I32:
    return 3; // INT32
  case ElementType::I64:
    return 5; // INT64
  case ElementType::F16:
    return 6; // FLOAT16
  case ElementType::F32:
    return 7; // FLOAT32
  case ElementType::BF16:
    return 9; // BFLOAT16
  }
  return 0;
}

Status encodeTensorMap(const Driver &driver, const TensorRef &tensor, const TensorMapSpec &spec,
                       TensorMap &map) {
  map = TensorMap{};
  if (isEmpty(tensor))
    return {};
  if (!driver.api().tensorMapEncodeTiled)
    return Error{"needs a tensor map; the CUDA driver is older than 12.0 and cannot make one"};
  constexpr size_t kMaxRank = 5;
  constexpr int kPromoteTo256Bytes = 3;
  auto rank = static_cast<uint32_t>(spec.axes.size());
  uint64_t sizes[kMaxRank], strideBytes[kMaxRank] = {};
  uint32_t box[kMaxRank], elementStrides[kMaxRank];
  uint64_t packed = 16;
  for (uint32_t i = 0; i < rank; ++i) {
    // The driver counts from the innermost axis, whose stride of one element is implied.
    unsigned axis = spec.axes[rank - 1 - i];
    sizes[i] = static_cast<uint64_t>(tensor.shape[axis]);
    box[i] = spec.box[rank - 1 - i];
    elementStrides[i] = 1;
    if (i == 0)
      continue;
    // The stride of a single element is arbitrary, but the driver insists on a multiple of 16.
    bool single = sizes[i] == 1;
    strideBytes[i - 1] =
        single ? packed : static_cast<uint64_t>(tensor.strides[axis]) * bytesOf(tensor.type);
    if (!single && (tensor.strides[axis] < 0 || strideBytes[i - 1] % 16 != 0))
      return Error{"has stride " + std::to_string(tensor.strides[axis]) + " along axis " +
                   std::to_string(axis) + "; a tensor map needs a multiple of 16 bytes"};
    packed = std::max(packed, strideBytes[i - 1]);
  }
  // Pure host work, and yet the driver wants a context.
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, tensor.device));
  DriverResult result = driver.api().tensorMapEncodeTiled(
      &map, dataTypeOf(tensor.type), rank, tensor.data, sizes, strideBytes, box, elementStrides,
      /*interleave=*/0, static_cast<int>(spec.swizzle), kPromoteTo256Bytes, /*outOfBoundsFill=*/0);
  if (result == kDriverSuccess)
    return {};
  return driver.check(result, "has no tensor map");
}

} // namespace tilewright::runtime
