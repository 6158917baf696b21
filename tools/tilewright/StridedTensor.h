//===- StridedTensor.h - strided tensors with guards around every element ---------------------===//
//
// A tensor's storage is larger than its elements: what lies before, behind and between them is
// filled with bits that are a NaN in every float type. A kernel that reads them spoils its result,
// and one that writes them is found by comparing.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_STRIDEDTENSOR_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_STRIDEDTENSOR_H

#include "tools/driver/HostTensor.h"

#include <functional>
#include <optional>
#include <string_view>

namespace tilewright::cli {

using driver::coordinates;
using driver::HostTensor;

/// How a tensor lies in memory.
enum class Memory {
#define MEMORY(enumerator, name) enumerator,
#include "tools/tilewright/Memory.def"
};

std::string_view nameOf(Memory memory);
std::optional<Memory> memoryByName(std::string_view name);

struct StridedTensor {
  runtime::ElementType type;
  std::vector<int64_t> shape, strides;
  int64_t origin = 0; ///< Of element (0, …, 0), in elements from the start of the storage.
  std::vector<char> storage;

  /// A tensor whose storage is all guards.
  StridedTensor(runtime::ElementType type, std::vector<int64_t> shape, Memory memory, bool isInput);

  int64_t capacity() const { return int64_t(storage.size() / bytesOf(type)); }
  /// Calls `visit` with the offset into the storage of every element, in row-major order.
  void visit(const std::function<void(int64_t)> &visit) const;

  void scatter(const HostTensor &values);
  HostTensor gather() const;
};

/// The first byte outside the elements that differs from a guard's, as an offset in elements from
/// the tensor's origin; nothing if all are intact.
std::optional<int64_t> findBrokenGuard(const StridedTensor &tensor);

} // namespace tilewright::cli

#endif
