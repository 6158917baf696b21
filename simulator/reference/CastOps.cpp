// tile.cast, and the casts of `arith`, which mean the same.
#include "simulator/reference/Compiler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::simulator {

namespace {
/// How integers on either side of a cast are read.
enum class Sign { Signed, Unsigned };

/// Emits the steps of one cast into its result.
class CastEmitter {
public:
  CastEmitter(Compiler &compiler, Operation *op, Slot source, Slot result)
      : compiler(compiler), op(op), source(source), result(result) {}

  void emit(Sign sign) {
    bool fromFloat = isFloat(source.kind), toFloat = isFloat(result.kind);
    if (fromFloat && toFloat)
      floatToFloat();
    else if (result.kind == ElementKind::I1)
      toBool();
    else if (fromFloat)
      floatToInteger(sign);
    else if (toFloat)
      integerToFloat(sign);
    else
      integerToInteger(sign);
  }

  void integerToInteger(Sign sign) {
    bool wide = source.storage() == Storage::Int64;
    if (result.storage() == Storage::Int64) {
      if (wide)
        compiler.emitCopy(op, result, source);
      else if (sign == Sign::Unsigned)
        step(ElementOp::ZeroExtend64, result, source, bitsOf(source.kind));
      else
        step(ElementOp::SignExtend64, result, source);
      return;
    }
    if (wide)
      step(ElementOp::Truncate64, result, source);
    else if (sign == Sign::Unsigned && source.kind != ElementKind::I32)
      step(ElementOp::ZeroExtend32, result, source, bitsOf(source.kind));
    else
      compiler.emitCopy(op, result, source);
    compiler.emitNarrow(op, result);
  }

private:
  void step(ElementOp element, Slot to, Slot from, int64_t parameter = 0) {
    compiler.emitKernel(op, kernels().element[int(element)][0], to, from, parameter);
  }

  void floatToFloat() {
    if (ElementKernel round = kernels().round[int(result.kind)])
      compiler.emitKernel(op, round, result, source);
    else
      compiler.emitCopy(op, result, source);
  }

  void toBool() {
    if (source.storage() == Storage::Float)
      step(ElementOp::MaskFloat, result, source);
    else
      step(source.storage() == Storage::Int64 ? ElementOp::Mask64 : ElementOp::Mask32, result,
           source);
  }

  void floatToInteger(Sign sign) {
    int width = bitsOf(result.kind);
    if (sign == Sign::Unsigned) {
      Slot wide = compiler.allocate(ElementKind::I64, result.count);
      step(ElementOp::FloatToUnsigned, wide, source, width);
      if (result.storage() == Storage::Int64) {
        compiler.emitCopy(op, result, wide);
      } else {
        step(ElementOp::Truncate64, result, wide);
        compiler.emitNarrow(op, result);
      }
      compiler.release(wide);
    } else if (result.storage() == Storage::Int64) {
      step(ElementOp::FloatToInt64, result, source);
    } else {
      step(ElementOp::FloatToInt32, result, source);
      if (width < 32)
        step(ElementOp::Clamp32, result, result, width);
    }
  }

  /// To f32 directly; to a narrower float over an f32 rounded to odd, so that it is rounded once.
  void integerToFloat(Sign sign) {
    bool narrow = result.kind != ElementKind::F32;
    if (sign == Sign::Unsigned) {
      Slot wide = source;
      if (source.storage() != Storage::Int64) {
        wide = compiler.allocate(ElementKind::I64, source.count);
        step(ElementOp::ZeroExtend64, wide, source, bitsOf(source.kind));
        compiler.release(wide);
      }
      step(narrow ? ElementOp::UnsignedToOdd : ElementOp::UnsignedToFloat, result, wide);
    } else if (source.storage() == Storage::Int64) {
      step(narrow ? ElementOp::Int64ToOdd : ElementOp::Int64ToFloat, result, source);
    } else {
      step(narrow ? ElementOp::Int32ToOdd : ElementOp::Int32ToFloat, result, source);
    }
    compiler.emitNarrow(op, result);
  }

  Compiler &compiler;
  Operation *op;
  Slot source, result;
};
} // namespace

static LogicalResult compileCast(Compiler &compiler, Operation *op, Sign sign) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  CastEmitter(compiler, op, compiler.slot(op->getOperand(0)), *result).emit(sign);
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
  CastEmitter(compiler, op, compiler.slot(op->getOperand(0)), *result).integerToInteger(sign);
  return success();
}

static std::optional<ElementOp> bitcastStep(ElementKind from, ElementKind to) {
  ElementKind narrow = isFloat(from) ? from : to;
  bool encodes = isFloat(from);
  switch (narrow) {
  case ElementKind::BF16:
    return encodes ? ElementOp::BitsOfBF16 : ElementOp::BF16OfBits;
  case ElementKind::F16:
    return encodes ? ElementOp::BitsOfF16 : ElementOp::F16OfBits;
  case ElementKind::F8E5M2:
    return encodes ? ElementOp::BitsOfF8E5M2 : ElementOp::F8E5M2OfBits;
  case ElementKind::F8E4M3FN:
    return encodes ? ElementOp::BitsOfF8E4M3FN : ElementOp::F8E4M3FNOfBits;
  default:
    return std::nullopt;
  }
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
