//===- TensorMaps.h - TMA descriptors ---------------------------*- C++ -*-===//

#pragma once

#include "runtime/Driver.h"
#include "runtime/KernelSource.h"
#include "runtime/Tensor.h"

namespace tilewright::runtime {

/// Encodes a TMA descriptor of `tensor`: some 50 ns, no allocation, legal during graph capture. An
/// empty tensor gives a null descriptor, which a kernel never gets to use. The error says which
/// requirement the tensor misses, without naming it.
Status encodeTensorMap(const Driver &driver, const TensorRef &tensor, const TensorMapSpec &spec,
                       TensorMap &map);

} // namespace tilewright::runtime
