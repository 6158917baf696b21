//===- Binding.h - binds the arguments of a call to a kernel ----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_BINDING_H
#define TILEWRIGHT_TOOLS_DRIVER_BINDING_H

#include "frontend/Frontend.h"
#include "runtime/Tensor.h"
#include "support/ErrorOr.h"

#include <string>
#include <utility>
#include <vector>

namespace tilewright::driver {

/// Values of const and tune parameters by name.
using Settings = std::vector<std::pair<std::string, frontend::ConstValue>>;

/// Stands for an optional tensor that is not given.
inline constexpr runtime::TensorRef kNone = {};
bool isNone(const runtime::Argument &argument);

/// A call's arguments in the kernel's form: tensors and scalars in the order of the declaration,
/// with defaults filled in and without absent tensors.
struct Call {
  std::vector<const frontend::Param *> params;
  std::vector<runtime::Argument> arguments;
};

/// Checks number and kind of the arguments. Trailing optional tensors and scalars with a default
/// may be left out.
ErrorOr<Call> arrange(const frontend::Signature &signature,
                      const std::vector<runtime::Argument> &arguments);

/// The dtypes, sizes, constants and facts that the call's code depends on.
ErrorOr<frontend::Specialisation> specialise(const frontend::Signature &signature, const Call &call,
                                             const Settings &settings);

} // namespace tilewright::driver

#endif
