//===- Semantics.h - what each op of Instructions.def does ------------------------------------===//
//
// `translate` turns an op into instructions. It is declared here for every row that has semantics
// of its own and defined in the file of its group: a row without a definition does not link. The
// elementwise rows share one template, which does not compile without a row in ElementOps.def.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_SEMANTICS_H
#define TILEWRIGHT_SIMULATOR_MACHINE_SEMANTICS_H

#include "simulator/machine/Translator.h"

#include "llvm/ADT/StringMap.h"

namespace tilewright::simulator::machine {

namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;
namespace func = mlir::func;

#define INSTRUCTION(op, pipe) mlir::LogicalResult translate(Translator &, op);
#define ELEMENTWISE(op, pipe)
#include "ir/cuda/Instructions.def"

/// A row of Instructions.def.
struct Semantics {
  mlir::LogicalResult (*translate)(Translator &, mlir::Operation *);
  Pipe pipe;
};

/// The rows by the name of their op.
const llvm::StringMap<Semantics> &allSemantics();

/// An op of one to three operands of one kind, by its row of ElementOps.def.
mlir::LogicalResult translateElements(Translator &, mlir::Operation *op, ElementOp element);

/// A wait for an mbarrier, as `op` or a part of it.
void emitMbarrierWait(Translator &, mlir::Operation *op, mlir::Value barrier, mlir::Value parity);

} // namespace tilewright::simulator::machine

#endif
