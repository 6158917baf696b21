//===- Passes.h - every pass, and how passes explain themselves -------------------------------===//
//
// Passes.td is the catalogue. A pass reports its decisions and their reasons with `explain`
// (passes/say/Explain.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PASSES_H
#define TILEWRIGHT_PASSES_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
#include "ir/tile/Tile.h"
#include "passes/say/Explain.h"

namespace tilewright::passes {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace tilewright::passes

#endif
