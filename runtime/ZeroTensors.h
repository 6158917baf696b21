//===- ZeroTensors.h - Setting tensors to 0 before a launch -----*- C++ -*-===//

#pragma once

#include "runtime/Driver.h"
#include "runtime/Tensor.h"

#include <span>
#include <vector>

namespace tilewright::runtime {

/// `height` rows of `width` bytes each, `pitch` bytes apart.
struct ZeroedRows {
  std::byte *address = nullptr;
  size_t pitch = 0, width = 0, height = 0;

  bool operator==(const ZeroedRows &) const = default;
};

/// Adds what a tensor consists of: one piece, if its elements lie side by side.
void addRows(const TensorRef &tensor, std::vector<ZeroedRows> &rows);

/// Sets them to 0 on a stream of that GPU, without waiting. May be captured into a graph.
Status zeroRows(const Driver &driver, int device, Stream stream, std::span<const ZeroedRows> rows);

/// The same in host memory.
void zeroRowsOnHost(std::span<const ZeroedRows> rows);

} // namespace tilewright::runtime
