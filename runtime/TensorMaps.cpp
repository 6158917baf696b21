//===- TensorMaps.cpp - TMA descriptors -----------------------------------===//

#include "runtime/TensorMaps.h"

#include "support/TensorParts.h"

#include <algorithm>

namespace tilewright::runtime {

/// CUtensorMapDataType. Narrow floats travel as bytes; bool too.
static int dataTypeOf(ElementType type, bool tf32) {
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
    return tf32 ? 11 : 7; // TFLOAT32, FLOAT32
  case ElementType::BF16:
    return 9; // BFLOAT16
  }
  return 0;
}

static std::string str(uint64_t value) { return std::to_string(value); }

std::string problemOf(const TensorMapSpec &spec, const TensorArg &tensor) {
  if (spec.axes.empty() || spec.axes.size() > kMaxTensorMapRank)
    return "covers " + str(spec.axes.size()) + " axes; a tensor map has 1 to 5";
  if (spec.box.size() != spec.axes.size())
    return "has a box of " + str(spec.box.size()) + " axes for " + str(spec.axes.size());
  for (unsigned axis : spec.axes)
    if (axis >= tensor.dims.size())
      return "covers axis " + str(axis) + " of " + str(tensor.dims.size());
    else if (auto times = std::count(spec.axes.begin(), spec.axes.end(), axis);
             times > (axis == spec.axes.front() ? 3 : 2) || (times > 1 && axis == spec.axes.back()))
      return "covers axis " + str(axis) + " " + str(times) + " times; " +
             (axis == spec.axes.back() ? "parts along the innermost axis have no map"
                                       : "2 are for parts, and 1 leads back");
  for (unsigned extent : spec.box)
    if (extent < 1 || extent > 256)
      return "copies " + str(extent) + " elements along an axis; a box has 1 to 256";
  uint64_t inner = uint64_t(spec.box.back()) * bytesOf(tensor.type);
  if (inner % 16 != 0)
    return "copies rows of " + str(inner) + " bytes; a box needs a multiple of 16";
  uint64_t widest = 16u << static_cast<unsigned>(spec.swizzle);
  if (spec.swizzle != TensorMapSwizzle::None && inner > widest)
    return "copies rows of " + str(inner) + " bytes; its swizzle allows " + str(widest);
  if (spec.tf32 && tensor.type != ElementType::F32)
    return "rounds to tf32, which only f32 can be";
  return "";
}

namespace {
/// What the driver takes: axes from the innermost, whose stride of one element is implied.
struct EncodeArguments {
  uint64_t sizes[kMaxTensorMapRank], strideBytes[kMaxTensorMapRank] = {};
  uint32_t box[kMaxTensorMapRank], elementStrides[kMaxTensorMapRank];
};
} // namespace

/// Checks one axis; a stride of a single element is arbitrary, so `packed` serves instead.
static Status addAxis(const TensorRef &tensor, unsigned axis, uint32_t i, uint64_t &packed,
                      EncodeArguments &arguments) {
  constexpr uint64_t kMaxSize = uint64_t(1) << 32, kMaxStride = uint64_t(1) << 40;
  std::string where = " along axis " + str(axis);
  auto size = static_cast<uint64_t>(tensor.shape[axis]);
  int64_t stride = tensor.strides[axis];
  if (size > kMaxSize)
    return Error{"has " + str(size) + " elements" + where + "; a tensor map allows 4294967296"};
  arguments.sizes[i] = size;
  arguments.elementStrides[i] = 1;
  bool single = size == 1;
  if (i == 0 && !single && stride != 1)
    return Error{"has stride " + std::to_string(stride) + where +
                 "; the innermost axis of a tensor map needs 1"};
  if (i == 0)
    return {};
  uint64_t bytes = single ? packed : static_cast<uint64_t>(stride) * bytesOf(tensor.type);
  if (!single && (stride < 0 || bytes % 16 != 0))
    return Error{"has stride " + std::to_string(stride) + where +
                 "; a tensor map needs a multiple of 16 bytes"};
  if (bytes >= kMaxStride)
    return Error{"has a stride of " + str(bytes) + " bytes" + where +
                 "; a tensor map needs less than 1099511627776"};
  arguments.strideBytes[i - 1] = bytes;
  packed = std::max(packed, bytes);
  return {};
}

/// Adds the axes of a map in front of the tensor's own: where parts end, along each that is cut,
/// and the one that leads back (support/TensorParts.h).
static void addOuter(uint32_t i, uint32_t inner, uint32_t own, bool leadsBack,
                     EncodeArguments &arguments) {
  arguments.elementStrides[i] = 1;
  if (!leadsBack) {
    arguments.sizes[i] = arguments.sizes[inner] + 1;
    arguments.strideBytes[i - 1] = arguments.strideBytes[inner - 1];
    arguments.sizes[inner] = kPlacesOfPart;
    return;
  }
  uint64_t back = 0;
  for (uint32_t end = own; end < i; ++end)
    back += arguments.strideBytes[end - 1];
  arguments.sizes[i] = kPlacesOfPart + 1;
  arguments.strideBytes[i - 1] = kTurnBytes - back;
}

Status encodeTensorMap(const Driver &driver, const TensorRef &tensor, const TensorMapSpec &spec,
                       TensorMap &map) {
  map = TensorMap{};
  if (isEmpty(tensor))
    return {};
  if (!driver.api().tensorMapEncodeTiled)
    return Error{"needs a tensor map; the CUDA driver is older than 12.0 and cannot make one"};
  if (auto address = reinterpret_cast<uintptr_t>(tensor.data); address % 16 != 0)
    return Error{"lies " + str(address % 16) +
                 " bytes past a multiple of 16; a tensor map needs one"};
  if (unsigned bytes = rowAlignment(tensor); spec.isStored && bytes < 16)
    return Error{"has rows of " +
                 str(uint64_t(tensor.shape[tensor.rank - 1]) * bytesOf(tensor.type)) +
                 " bytes; TMA stores multiples of 16, and would write zeros behind the rows"};
  // Of rows that start anywhere, 256 bytes fetch what no box reads: by 8 to 16 % slower products.
  constexpr int kPromoteTo128Bytes = 2;
  auto rank = static_cast<uint32_t>(spec.axes.size());
  EncodeArguments arguments;
  uint64_t packed = 16;
  uint32_t own = 0; // axes, behind which stand those for parts
  for (uint32_t i = 0; i < rank; ++i) {
    arguments.box[i] = spec.box[rank - 1 - i];
    auto axis = spec.axes.rbegin() + i, inner = std::find(spec.axes.rbegin(), axis, *axis);
    if (inner == axis) {
      TILEWRIGHT_TRY(addAxis(tensor, *axis, i, packed, arguments));
      own = i + 1;
    } else {
      addOuter(i, uint32_t(inner - spec.axes.rbegin()), own, i + 1 == rank, arguments);
    }
  }
  // Pure host work, and yet the driver wants a context.
  TILEWRIGHT_ASSIGN(ContextScope scope, ContextScope::enter(driver, tensor.device));
  DriverResult result = driver.api().tensorMapEncodeTiled(
      &map, dataTypeOf(tensor.type, spec.tf32), rank, tensor.data, arguments.sizes,
      arguments.strideBytes, arguments.box, arguments.elementStrides, /*interleave=*/0,
      static_cast<int>(spec.swizzle), kPromoteTo128Bytes, /*outOfBoundsFill=*/0);
  if (result == kDriverSuccess)
    return {};
  return driver.check(result, "has no tensor map");
}

} // namespace tilewright::runtime
