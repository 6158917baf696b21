//===- PrintCuda.h - the CUDA C++ text of a kernel --------------------------------------------===//
//
// The last phase: it takes a kernel in the cuda dialect and gives text for NVRTC. The text includes
// no header. It starts with the parts of the prelude (codegen/prelude/*.cuh) that it uses.
//
// Printing decides only about spelling: which values get a name and which are written inside their
// user's expression, how names become unique, where parentheses are needed. Integer arithmetic is
// printed as C++'s on signed integers, so it must not overflow where the result matters.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_PRINTCUDA_H
#define TILEWRIGHT_CODEGEN_PRINTCUDA_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <string>
#include <vector>

namespace tilewright::codegen {

struct PlacedStatement {
  size_t offset; ///< In the text; of its comment, if it has one.
  mlir::FileLineColLoc place;
};

struct PrintOptions {
  /// Puts `#line` directives before statements, so that messages and profiles name the kernel's
  /// source.
  bool lineDirectives = false;
  /// The text of a line of the kernel's source, printed as a comment above the statements that come
  /// from it; empty where it is not known.
  std::function<std::string(llvm::StringRef file, unsigned line)> sourceLine;
  /// Gets where in the text each statement begins that has a place in the kernel's source.
  std::vector<PlacedStatement> *statements = nullptr;
};

/// The CUDA C++ text of `kernel`, a function with `cuda.kernel`: prelude, then the kernel. Fails,
/// with a diagnostic at the op, on an op or a type that has no spelling.
mlir::FailureOr<std::string> printCuda(mlir::func::FuncOp kernel, const PrintOptions &options = {});

/// Whether ops of this name have a spelling.
bool isPrinted(mlir::OperationName name);

} // namespace tilewright::codegen

#endif
