//===- Arguments.h - what Python passes, as the driver takes it -------------------------------===//
#ifndef TILEWRIGHT_PYTHON_ARGUMENTS_H
#define TILEWRIGHT_PYTHON_ARGUMENTS_H

#include "tools/driver/Binding.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>

namespace tilewright::python {

/// The class of errors in a kernel or its plan, rather than in the arguments of a call.
inline constexpr const char *kCompileError = "tilewright.CompileError";

/// Throws what Python sees as `tilewright.Error`, or as the class of that name below it.
[[noreturn]] void raise(const Error &error, const char *kind = "tilewright.Error");

/// The value; throws an exception if there is none.
template <typename T> T orRaise(ErrorOr<T> result, const char *kind = "tilewright.Error") {
  if (!result)
    raise(result.error(), kind);
  return std::move(result).value();
}
inline void orRaise(Status status, const char *kind = "tilewright.Error") {
  if (!status)
    raise(status.error(), kind);
}

/// The arguments of one call: tensors by DLPack, scalars, None for an absent optional tensor. A
/// list [dtype, size, …] stands for a contiguous, aligned tensor that has no memory.
class Arguments {
public:
  explicit Arguments(tvm::ffi::PackedArgs args);
  Arguments(const Arguments &) = delete; // tensors point into `contiguous`

  std::vector<runtime::Argument> list;
  /// The GPU that a tensor is on; -1 if all are in host memory.
  int device = -1;
  bool hasTensors = false;

private:
  runtime::TensorRef tensor(const DLTensor &tensor);
  runtime::TensorRef described(const tvm::ffi::Array<tvm::ffi::Any> &words);
  runtime::Argument argument(tvm::ffi::AnyView value);

  /// Shapes and strides that Python does not own.
  std::vector<std::unique_ptr<int64_t[]>> extents;
};

/// Constants by name, as a kernel of this signature takes them.
driver::Settings settingsOf(const frontend::Signature &signature,
                            const tvm::ffi::Map<tvm::ffi::String, tvm::ffi::Any> &settings);

/// A compile-time value; a string is one.
frontend::ConstValue constValue(const tvm::ffi::Any &value);
tvm::ffi::Any toAny(const frontend::ConstValue &value);

} // namespace tilewright::python

#endif
