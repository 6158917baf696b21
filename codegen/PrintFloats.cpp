//===- PrintFloats.cpp - floating-point arithmetic --------------------------------------------===//
//
// Computed in f32: operands of narrower types are widened, and results are rounded once.
//
//===------------------------------------------------------------------------------------------===//
#include "codegen/Conversions.h"
#include "codegen/Spellings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright::codegen;

static Text wideOperand(Printer &p, Value value) { return toF32(p.text(value), value.getType()); }

static Text wideCall(Printer &p, StringRef function, ValueRange operands) {
  std::string text = function.str() + "(";
  for (auto [i, value] : llvm::enumerate(operands))
    text += (i ? ", " : "") + wideOperand(p, value).text;
  return {text + ")"};
}

static Text wideBinary(Printer &p, Value lhs, StringRef op, Value rhs, Binding binding) {
  if (lhs.getType().isF32())
    return p.binary(lhs, op, rhs, binding);
  std::string left = wideOperand(p, lhs).text;
  return {left + " " + op.str() + " " + wideOperand(p, rhs).text, binding};
}

template <typename Op> static void addBinary(Spellings &spellings, StringRef op, Binding binding) {
  spellings.expression<Op>([=](Printer &p, Op o) {
    return fromF32(wideBinary(p, o.getLhs(), op, o.getRhs(), binding), o.getType());
  });
}

template <typename Op> static void addCall(Spellings &spellings, StringRef function) {
  spellings.expression<Op>([=](Printer &p, Op o) {
    return fromF32(wideCall(p, function, o->getOperands()), o.getType());
  });
}

static Text prefixed(StringRef sign, const Text &text) {
  return {(sign + text.text).str(), Binding::Unary};
}

static Text negated(const Text &text) {
  return {("!(" + Twine(text.text) + ")").str(), Binding::Unary};
}

static Text printNegate(Printer &p, arith::NegFOp op) {
  if (!op.getType().isF32())
    return fromF32(prefixed("-", wideOperand(p, op.getOperand())), op.getType());
  Text text = p.text(op.getOperand());
  bool simple = text.binding == Binding::Primary;
  return prefixed("-", simple ? text : Text{("(" + Twine(text.text) + ")").str()});
}

static Text printCompare(Printer &p, arith::CmpFOp op) {
  using Predicate = arith::CmpFPredicate;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  switch (op.getPredicate()) {
  case Predicate::OEQ:
    return wideBinary(p, lhs, "==", rhs, Binding::Equality);
  case Predicate::OGT:
    return wideBinary(p, lhs, ">", rhs, Binding::Relation);
  case Predicate::OGE:
    return wideBinary(p, lhs, ">=", rhs, Binding::Relation);
  case Predicate::OLT:
    return wideBinary(p, lhs, "<", rhs, Binding::Relation);
  case Predicate::OLE:
    return wideBinary(p, lhs, "<=", rhs, Binding::Relation);
  case Predicate::ONE:
    return wideCall(p, "unequal", {lhs, rhs});
  case Predicate::ORD:
    return wideCall(p, "ordered", {lhs, rhs});
  case Predicate::UEQ:
    return prefixed("!", wideCall(p, "unequal", {lhs, rhs}));
  case Predicate::UNO:
    return prefixed("!", wideCall(p, "ordered", {lhs, rhs}));
  case Predicate::UGT:
    return negated(wideBinary(p, lhs, "<=", rhs, Binding::Relation));
  case Predicate::UGE:
    return negated(wideBinary(p, lhs, "<", rhs, Binding::Relation));
  case Predicate::ULT:
    return negated(wideBinary(p, lhs, ">=", rhs, Binding::Relation));
  case Predicate::ULE:
    return negated(wideBinary(p, lhs, ">", rhs, Binding::Relation));
  case Predicate::UNE:
    return wideBinary(p, lhs, "!=", rhs, Binding::Equality);
  case Predicate::AlwaysFalse:
    return {"false"};
  case Predicate::AlwaysTrue:
    return {"true"};
  }
  return {};
}

static Text printTanh(Printer &p, math::TanhOp op) {
  bool approximate = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
  return fromF32(wideCall(p, approximate ? "tanh_approx" : "tanhf", op.getOperand()), op.getType());
}

void tilewright::codegen::addFloats(Spellings &spellings) {
  addBinary<arith::AddFOp>(spellings, "+", Binding::Sum);
  addBinary<arith::SubFOp>(spellings, "-", Binding::Sum);
  addBinary<arith::MulFOp>(spellings, "*", Binding::Product);
  addCall<arith::DivFOp>(spellings, "divide");
  addCall<arith::RemFOp>(spellings, "fmodf");
  addCall<arith::MaximumFOp>(spellings, "max_nan");
  addCall<arith::MinimumFOp>(spellings, "min_nan");
  addCall<arith::MaxNumFOp>(spellings, "fmaxf");
  addCall<arith::MinNumFOp>(spellings, "fminf");
  spellings.expression<arith::NegFOp>(printNegate);
  spellings.expression<arith::CmpFOp>(printCompare);

  addCall<math::AbsFOp>(spellings, "fabsf");
  addCall<math::AcosOp>(spellings, "acosf");
  addCall<math::AcoshOp>(spellings, "acoshf");
  addCall<math::AsinOp>(spellings, "asinf");
  addCall<math::AsinhOp>(spellings, "asinhf");
  addCall<math::AtanhOp>(spellings, "atanhf");
  addCall<math::AtanOp>(spellings, "atanf");
  addCall<math::Atan2Op>(spellings, "atan2f");
  addCall<math::CbrtOp>(spellings, "cbrtf");
  addCall<math::CeilOp>(spellings, "ceilf");
  addCall<math::CopySignOp>(spellings, "copysignf");
  addCall<math::CosOp>(spellings, "cos_f32");
  addCall<math::CoshOp>(spellings, "coshf");
  addCall<math::ErfOp>(spellings, "erf_f32");
  addCall<math::ExpOp>(spellings, "expf");
  addCall<math::Exp2Op>(spellings, "exp2_approx");
  addCall<math::ExpM1Op>(spellings, "expm1f");
  addCall<math::FloorOp>(spellings, "floorf");
  addCall<math::FmaOp>(spellings, "fmaf");
  addCall<math::LogOp>(spellings, "logf");
  addCall<math::Log10Op>(spellings, "log10f");
  addCall<math::Log1pOp>(spellings, "log1pf");
  addCall<math::Log2Op>(spellings, "log2_approx");
  addCall<math::PowFOp>(spellings, "powf");
  addCall<math::RoundOp>(spellings, "roundf");
  addCall<math::RoundEvenOp>(spellings, "rintf");
  addCall<math::RsqrtOp>(spellings, "rsqrt_approx");
  addCall<math::SinOp>(spellings, "sin_f32");
  addCall<math::SinhOp>(spellings, "sinhf");
  addCall<math::SqrtOp>(spellings, "sqrt_approx");
  addCall<math::TanOp>(spellings, "tan_f32");
  spellings.expression<math::TanhOp>(printTanh);
  addCall<math::TruncOp>(spellings, "truncf");
}
