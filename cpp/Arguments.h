//===- Arguments.h - a caller's arguments in the runtime's form -----------===//

#pragma once

#include "runtime/Tensor.h"
#include "tilewright/ErrorOr.h"
#include "tilewright/Tensor.h"

#include <vector>

namespace tilewright {

/// Arguments for one launch; they refer to those that they were made of.
struct LoweredArguments {
  std::vector<runtime::Argument> list;
  std::vector<std::vector<int64_t>> strides; ///< Of tensors that state none.
};

/// Absent tensors become tensors without address and axes, or are left out.
ErrorOr<LoweredArguments> lowerArguments(const std::vector<Argument> &arguments, bool keepAbsent);

} // namespace tilewright
