//===- Tensor.h - Arguments of a launch -------------------------*- C++ -*-===//

#pragma once

#include "runtime/ElementType.h"

#include <cstdint>
#include <variant>

namespace tilewright::runtime {

/// A view of somebody else's tensor. Shape and strides must live until the launch returns.
struct TensorRef {
  void *data = nullptr; ///< Address of element (0, …, 0), on the device.
  ElementType type = ElementType::F32;
  unsigned rank = 0;
  const int64_t *shape = nullptr;
  const int64_t *strides = nullptr; ///< In elements; any sign.
  int device = 0;                   ///< GPU ordinal; negative for host memory.
};

using Argument = std::variant<TensorRef, int64_t, double, bool>;

/// What a kernel may be specialised for; the same facts as in TensorArg.
struct TensorFacts {
  /// What the address and all strides but the innermost are multiples of, in bytes: 16, 8, 4, 2 or
  /// 1. At most 8 if an axis runs backwards: with 16, TMA may be taken, which cannot.
  unsigned alignment = 1;
  bool unitInnerStride = false;
  bool index32 = false;

  bool operator==(const TensorFacts &) const = default;
};

/// The strongest facts that hold for a tensor. Strides of dimensions with one element do not count.
TensorFacts facts(const TensorRef &tensor);

/// The same for a tensor that a kernel writes, if `isWritten`: aligned no better than the end of
/// its rows, behind which TMA would write zeros. Tensors of one axis are not stored by TMA.
TensorFacts facts(const TensorRef &tensor, bool isWritten);

/// The power of two, up to 16, that divides the bytes of a row, the elements along the innermost
/// axis.
unsigned rowAlignment(const TensorRef &tensor);

/// Whether the tensor has no elements; its address may then be anything.
bool isEmpty(const TensorRef &tensor);

} // namespace tilewright::runtime
