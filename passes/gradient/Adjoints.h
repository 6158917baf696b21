//===- Adjoints.h - a rule for each op that has one -------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_GRADIENT_ADJOINTS_H
#define TILEWRIGHT_PASSES_GRADIENT_ADJOINTS_H

#include "passes/gradient/Reverse.h"

namespace tilewright::passes {

namespace arith = mlir::arith;
namespace math = mlir::math;

#define ADJOINT(op) void adjointOf(Reverse &reverse, op, mlir::Value adjoint);
#include "passes/gradient/AdjointRules.def"

} // namespace tilewright::passes

#endif
