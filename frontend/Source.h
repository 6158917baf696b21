//===- Source.h - a file under compilation, and its diagnostics -------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_SOURCE_H
#define TILEWRIGHT_FRONTEND_SOURCE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

namespace tilewright::frontend {

/// A place in a file; lines and columns start at 1, columns count bytes.
struct Loc {
  unsigned line = 1, column = 1;
};

struct Source {
  llvm::StringRef text, file;
  mlir::MLIRContext *context;

  mlir::Location location(Loc loc) const {
    return mlir::FileLineColLoc::get(context, file, loc.line, loc.column);
  }
  mlir::InFlightDiagnostic error(Loc loc) const { return mlir::emitError(location(loc)); }
};

/// " (did you mean `x`?)" for the candidate nearest to `name`, or nothing.
std::string suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilewright::frontend

#endif
