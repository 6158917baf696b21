//===- Accesses.h - text of memory accesses ---------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_ACCESSES_H
#define TILEWRIGHT_CODEGEN_ACCESSES_H

#include "codegen/Printer.h"
#include "ir/cuda/Cuda.h"

namespace tilewright::codegen {

/// The bits that `count` values of an array take in memory, as the prelude's names end: `b128`.
std::string accessSuffix(cuda::RegsType regs, int64_t count);

/// `&regs[index]`
std::string registers(Printer &p, mlir::Value regs, mlir::Value index);

/// `, inside`, or nothing without a predicate.
std::string predicate(Printer &p, mlir::Value value);

} // namespace tilewright::codegen

#endif
