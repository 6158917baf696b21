//===- AdjointRules.h - what each op does to a gradient ---------------------------------------===//
#ifndef TILEWRIGHT_PASSES_GRADIENT_ADJOINTRULES_H
#define TILEWRIGHT_PASSES_GRADIENT_ADJOINTRULES_H

#include "mlir/IR/Operation.h"

namespace tilewright::passes {

class Reverse;

struct AdjointRule {
  enum Kind {
    Adjoint,   // has a rule
    Structure, // memory and control: Reverse itself has the rule
    Constant,  // gives what has no derivative, or one that is 0
    Refused,   // an error where a gradient comes through
  };
  Kind kind;
  /// Of `Adjoint`: gives the adjoints of the operands, from that of the result.
  void (*apply)(Reverse &reverse, mlir::Operation *op, mlir::Value adjoint);
  /// Of `Constant` and `Refused`.
  const char *why;
};

/// The row of AdjointRules.def for an op; null if it has none.
const AdjointRule *findAdjointRule(llvm::StringRef opName);

} // namespace tilewright::passes

#endif
