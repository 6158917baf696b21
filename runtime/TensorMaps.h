//===- TensorMaps.h - TMA descriptors ---------------------------*- C++ -*-===//

#pragma once

#include "runtime/Driver.h"
#include "runtime/KernelSource.h"
#include "runtime/Tensor.h"

namespace tilewright::runtime {

inline constexpr size_t kMaxTensorMapRank = 5;

/// Which rule of tensor maps `spec` breaks, whatever the tensor's address, sizes and strides; empty
/// if none.
std::string problemOf(const TensorMapSpec &spec, const TensorArg &tensor);

/// Encodes a TMA descriptor of `tensor`: some 50 ns, no allocation, legal during graph capture. An
/// empty tensor gives a null descriptor, which a kernel never gets to use. The error says which
/// rule the tensor breaks, without naming it: its address and outer strides are multiples of 16
/// bytes, its innermost axis is packed, sizes and strides are within the hardware's limits.
Status encodeTensorMap(const Driver &driver, const TensorRef &tensor, const TensorMapSpec &spec,
                       TensorMap &map);

} // namespace tilewright::runtime
