// tile.cast, and the casts of `arith`, which mean the same.
#include "simulator/reference/Casts.h"
#include "simulator/reference/Compiler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::simulator {

static LogicalResult compileCast(Compiler &compiler, Operation *op, Sign sign) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  CastEmitter<Compiler, Slot>(compiler, op, compiler.slot(op->getOperand(0)), *result).emit(sign);
  return success();
}

/// `tile.cast` reads integers as signed, but a bool as 0 or 1.
static LogicalResult compileTileCast(Compiler &compiler, Operation *op) {
  bool fromBool = compiler.slot(op->getOperand(0)).kind == ElementKind::I1;
  return compileCast(compiler, op, fromBool ? Sign::Unsigned : Sign::Signed);
}
static LogicalResult compileSigned(Compiler &compiler, Operation *op) {
  return compileCast(compiler, op, Sign::Signed);
}
static LogicalResult compileUnsigned(Compiler &compiler, Operation *op) {
  return compileCast(compiler, op, Sign::Unsigned);
}

/// Extensions, truncations and index casts: here an i1 is one bit, not a truth value.
template <Sign sign> static LogicalResult compileResize(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  CastEmitter<Compiler, Slot>(compiler, op, compiler.slot(op->getOperand(0)), *result)
      .integerToInteger(sign);
  return success();
}

static LogicalResult compileBitcast(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  Slot source = compiler.slot(op->getOperand(0));
  auto step = bitcastStep(source.kind, result->kind);
  if (isFloat(source.kind) == isFloat(result->kind) && source.kind != result->kind)
    return emitError(op->getLoc())
           << "the interpreter has no bitcast of " << op->getOperand(0).getType() << " to "
           << op->getResult(0).getType();
  if (!step || source.kind == result->kind) {
    compiler.emitCopy(op, *result, source);
    return success();
  }
  compiler.emitKernel(op, kernels().element[int(*step)][0], *result, source);
  compiler.emitNarrow(op, *result);
  return success();
}

void addCastOps(OpTable &table) {
  table["tile.cast"] = compileTileCast;
  for (StringRef name : {"arith.extf", "arith.truncf", "arith.sitofp", "arith.fptosi"})
    table[name] = compileSigned;
  for (StringRef name : {"arith.uitofp", "arith.fptoui"})
    table[name] = compileUnsigned;
  for (StringRef name : {"arith.extsi", "arith.trunci", "arith.index_cast"})
    table[name] = compileResize<Sign::Signed>;
  for (StringRef name : {"arith.extui", "arith.index_castui"})
    table[name] = compileResize<Sign::Unsigned>;
  table["arith.bitcast"] = compileBitcast;
}

} // namespace tilewright::simulator
