//===- Casts.h - the steps of a cast ----------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_CASTS_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_CASTS_H

#include "simulator/reference/Kernels.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace tilewright::simulator {

/// How integers on either side of a cast are read.
enum class Sign { Signed, Unsigned };

/// Emits the steps of one cast into its result. Both executors cast alike: a `Compiler` has
/// `emitKernel`, `emitCopy`, `emitRound`, `emitNarrow`, `allocate` and `release`; a `Slot` its kind
/// and count, and holds narrow floats as the f32 that they equal.
template <typename Compiler, typename Slot> class CastEmitter {
public:
  CastEmitter(Compiler &compiler, mlir::Operation *op, Slot source, Slot result)
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
    if (source.storage() != result.storage()) {
      bool widens = result.storage() == Storage::Double;
      step(widens ? ElementOp::FloatToDouble : ElementOp::DoubleToFloat, result, source);
      compiler.emitNarrow(op, result);
    } else if (kernels().round[int(result.kind)])
      compiler.emitRound(op, result, source);
    else
      compiler.emitCopy(op, result, source);
  }

  void toBool() {
    if (source.storage() == Storage::Float)
      step(ElementOp::MaskFloat, result, source);
    else if (source.storage() == Storage::Double)
      step(ElementOp::MaskDouble, result, source);
    else
      step(source.storage() == Storage::Int64 ? ElementOp::Mask64 : ElementOp::Mask32, result,
           source);
  }

  void floatToInteger(Sign sign) {
    int width = bitsOf(result.kind);
    if (source.storage() == Storage::Double) { // an index, which an f32 holds
      Slot single = compiler.allocate(ElementKind::F32, source.count);
      step(ElementOp::DoubleToFloat, single, source);
      CastEmitter(compiler, op, single, result).floatToInteger(sign);
      compiler.release(single);
      return;
    }
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
    bool isDouble = result.kind == ElementKind::F64;
    bool narrow = result.kind != ElementKind::F32;
    if (sign == Sign::Unsigned) {
      Slot wide = source;
      if (source.storage() != Storage::Int64) {
        wide = compiler.allocate(ElementKind::I64, source.count);
        step(ElementOp::ZeroExtend64, wide, source, bitsOf(source.kind));
        compiler.release(wide);
      }
      step(isDouble ? ElementOp::UnsignedToDouble
           : narrow ? ElementOp::UnsignedToOdd
                    : ElementOp::UnsignedToFloat,
           result, wide);
    } else if (source.storage() == Storage::Int64) {
      step(isDouble ? ElementOp::Int64ToDouble
           : narrow ? ElementOp::Int64ToOdd
                    : ElementOp::Int64ToFloat,
           result, source);
    } else {
      step(isDouble ? ElementOp::Int32ToDouble
           : narrow ? ElementOp::Int32ToOdd
                    : ElementOp::Int32ToFloat,
           result, source);
    }
    compiler.emitNarrow(op, result);
  }

  Compiler &compiler;
  mlir::Operation *op;
  Slot source, result;
};
/// The step between a narrow float and its bits; nothing if neither is one.
inline std::optional<ElementOp> bitcastStep(ElementKind from, ElementKind to) {
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

} // namespace tilewright::simulator

#endif
