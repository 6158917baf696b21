//===- Tensor.h - Arguments of kernels --------------------------*- C++ -*-===//

#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace tilewright {

enum class ElementType : uint8_t { Bool, I8, U8, I16, I32, I64, F8E4M3, F8E5M2, F16, BF16, F32 };

/// The device of tensors in host memory.
inline constexpr int kHost = -1;

/// A view of the caller's memory, in which the elements of a tensor lie.
struct Tensor {
  void *data = nullptr; ///< Address of element (0, …, 0), on the device.
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape = {};
  int device = kHost;                ///< The GPU's number, or kHost.
  std::vector<int64_t> strides = {}; ///< In elements, of any sign. Empty: the last axis is dense.
};

/// Stands for an optional tensor that is not given.
struct Absent {};

/// A tensor, or a scalar, whose type the kernel declares.
using Argument = std::variant<Tensor, int64_t, double, bool, Absent>;

/// A CUstream or cudaStream_t; null is the default stream.
using Stream = void *;

} // namespace tilewright
