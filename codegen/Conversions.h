//===- Conversions.h - text of conversions between scalar types -------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CONVERSIONS_H
#define TILEWRIGHT_CODEGEN_CONVERSIONS_H

#include "codegen/Printer.h"

namespace tilewright::codegen {

/// A float of type `type` as an f32.
Text toF32(Text text, mlir::Type type);

/// An f32 as a float of type `type`.
Text fromF32(Text text, mlir::Type type);

} // namespace tilewright::codegen

#endif
