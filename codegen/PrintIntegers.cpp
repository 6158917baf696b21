//===- PrintIntegers.cpp - integer arithmetic -------------------------------------------------===//
//
// Values are signed in C++. An op on unsigned values casts its operands and its result. C++
// computes i8 and i16 as i32, so results of these types are cast too.
//
//===------------------------------------------------------------------------------------------===//
#include "codegen/Spellings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright::codegen;

static bool isBool(Value value) { return value.getType().isInteger(1); }

static Text cast(StringRef type, const Text &text) {
  return {(type + "(" + text.text + ")").str()};
}

static std::string unsignedName(Type type) {
  StringRef name = *typeName(type);
  return name.front() == 'i' ? ("u" + name.drop_front()).str() : name.str();
}

/// The result of arithmetic that C++ did in i32 or wider.
static Text narrowed(Type type, Text text) {
  if (type.isInteger(8) || type.isInteger(16))
    return cast(*typeName(type), text);
  return text;
}

static std::string unsignedOperand(Printer &p, Value value) {
  return unsignedName(value.getType()) + "(" + p.operand(value) + ")";
}

static Text unsignedBinary(Printer &p, Value lhs, StringRef op, Value rhs, Binding binding) {
  std::string left = unsignedOperand(p, lhs);
  return {left + " " + op.str() + " " + unsignedOperand(p, rhs), binding};
}

template <typename Op> static void addBinary(Spellings &spellings, StringRef op, Binding binding) {
  spellings.expression<Op>([=](Printer &p, Op o) {
    return narrowed(o.getType(), p.binary(o.getLhs(), op, o.getRhs(), binding));
  });
}

template <typename Op>
static void addUnsignedBinary(Spellings &spellings, StringRef op, Binding binding) {
  spellings.expression<Op>([=](Printer &p, Op o) {
    return cast(*typeName(o.getType()), unsignedBinary(p, o.getLhs(), op, o.getRhs(), binding));
  });
}

/// Bitwise ops; on i1 they are the logical ones.
template <typename Op>
static void addBitwise(Spellings &spellings, StringRef op, Binding binding, StringRef logical,
                       Binding logicalBinding) {
  spellings.expression<Op>([=](Printer &p, Op o) {
    if (!isBool(o.getResult()))
      return narrowed(o.getType(), p.binary(o.getLhs(), op, o.getRhs(), binding));
    // Not every lane evaluates the second operand of && and ||.
    p.nameConvergent(o.getRhs());
    return p.binary(o.getLhs(), logical, o.getRhs(), logicalBinding);
  });
}

template <typename Op> static void addCall(Spellings &spellings, StringRef function) {
  spellings.expression<Op>([=](Printer &p, Op o) { return p.call(function, o->getOperands()); });
}

template <typename Op> static void addUnsignedCall(Spellings &spellings, StringRef function) {
  spellings.expression<Op>([=](Printer &p, Op o) {
    std::string left = unsignedOperand(p, o.getLhs());
    Text text{(function + "(" + left + ", " + unsignedOperand(p, o.getRhs()) + ")").str()};
    return cast(*typeName(o.getType()), text);
  });
}

/// Additions: `a + b + c` needs no parentheses, and adding a negative literal becomes a
/// subtraction.
static Text printAdd(Printer &p, arith::AddIOp op) {
  if (isBool(op))
    return p.binary(op.getLhs(), "!=", op.getRhs(), Binding::Equality);
  std::string left = p.operand(op.getLhs(), Binding::Sum);
  std::string right = p.operand(op.getRhs(), Binding::Sum);
  bool negative = matchPattern(op.getRhs(), m_Constant()) && right[0] == '-';
  std::string text = left + (negative ? " - " + right.substr(1) : " + " + right);
  return narrowed(op.getType(), {text, Binding::Sum});
}

static Text printXor(Printer &p, arith::XOrIOp op) {
  if (isBool(op) && matchPattern(op.getRhs(), m_One()))
    return {("!" + Twine(p.operand(op.getLhs(), Binding::Unary))).str(), Binding::Unary};
  if (isBool(op))
    return p.binary(op.getLhs(), "!=", op.getRhs(), Binding::Equality);
  return narrowed(op.getType(), p.binary(op.getLhs(), "^", op.getRhs(), Binding::BitXor));
}

static Text printShiftLeft(Printer &p, arith::ShLIOp op) {
  std::string left = p.typedOperand(op.getLhs(), Binding::Unary);
  std::string text = left + " << " + p.operand(op.getRhs(), Binding::Unary);
  return narrowed(op.getType(), {text, Binding::Shift});
}

static Text printShiftRight(Printer &p, arith::ShRSIOp op) {
  std::string left = p.typedOperand(op.getLhs(), Binding::Unary);
  return {left + " >> " + p.operand(op.getRhs(), Binding::Unary), Binding::Shift};
}

static Text printLogicalShiftRight(Printer &p, arith::ShRUIOp op) {
  std::string left = unsignedOperand(p, op.getLhs());
  Text text{left + " >> " + p.operand(op.getRhs(), Binding::Unary), Binding::Shift};
  return cast(*typeName(op.getType()), text);
}

static Text printCompare(Printer &p, arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  switch (op.getPredicate()) {
  case Predicate::eq:
    return p.binary(lhs, "==", rhs, Binding::Equality);
  case Predicate::ne:
    return p.binary(lhs, "!=", rhs, Binding::Equality);
  case Predicate::slt:
    return p.binary(lhs, "<", rhs, Binding::Relation);
  case Predicate::sle:
    return p.binary(lhs, "<=", rhs, Binding::Relation);
  case Predicate::sgt:
    return p.binary(lhs, ">", rhs, Binding::Relation);
  case Predicate::sge:
    return p.binary(lhs, ">=", rhs, Binding::Relation);
  case Predicate::ult:
    return unsignedBinary(p, lhs, "<", rhs, Binding::Relation);
  case Predicate::ule:
    return unsignedBinary(p, lhs, "<=", rhs, Binding::Relation);
  case Predicate::ugt:
    return unsignedBinary(p, lhs, ">", rhs, Binding::Relation);
  case Predicate::uge:
    return unsignedBinary(p, lhs, ">=", rhs, Binding::Relation);
  }
  return {};
}

static Text printSelect(Printer &p, arith::SelectOp op) {
  // Only one of the two is evaluated.
  p.nameConvergent(op.getTrueValue());
  p.nameConvergent(op.getFalseValue());
  std::string condition = p.operand(op.getCondition(), Binding::Or);
  std::string yes = p.typedOperand(op.getTrueValue(), Binding::Or);
  std::string no = p.typedOperand(op.getFalseValue());
  return {condition + " ? " + yes + " : " + no, Binding::Conditional};
}

void tilewright::codegen::addIntegers(Spellings &spellings) {
  spellings.statement<arith::ConstantOp>([](Printer &, arith::ConstantOp op) -> LogicalResult {
    // Printed where it is used.
    if (literal(op.getValue(), false))
      return success();
    return op.emitOpError("has no CUDA spelling");
  });
  spellings.expression<arith::AddIOp>(printAdd);
  addBinary<arith::SubIOp>(spellings, "-", Binding::Sum);
  addBinary<arith::MulIOp>(spellings, "*", Binding::Product);
  addBinary<arith::DivSIOp>(spellings, "/", Binding::Product);
  addBinary<arith::RemSIOp>(spellings, "%", Binding::Product);
  addUnsignedBinary<arith::DivUIOp>(spellings, "/", Binding::Product);
  addUnsignedBinary<arith::RemUIOp>(spellings, "%", Binding::Product);
  addCall<arith::FloorDivSIOp>(spellings, "floor_div");
  addCall<arith::CeilDivSIOp>(spellings, "ceil_div");
  addUnsignedCall<arith::CeilDivUIOp>(spellings, "ceil_div_unsigned");
  addBitwise<arith::AndIOp>(spellings, "&", Binding::BitAnd, "&&", Binding::And);
  addBitwise<arith::OrIOp>(spellings, "|", Binding::BitOr, "||", Binding::Or);
  spellings.expression<arith::XOrIOp>(printXor);
  spellings.expression<arith::ShLIOp>(printShiftLeft);
  spellings.expression<arith::ShRSIOp>(printShiftRight);
  spellings.expression<arith::ShRUIOp>(printLogicalShiftRight);
  addCall<arith::MaxSIOp>(spellings, "max");
  addCall<arith::MinSIOp>(spellings, "min");
  addUnsignedCall<arith::MaxUIOp>(spellings, "max");
  addUnsignedCall<arith::MinUIOp>(spellings, "min");
  spellings.expression<arith::CmpIOp>(printCompare);
  spellings.expression<arith::SelectOp>(printSelect);
  addCall<math::AbsIOp>(spellings, "abs");
}
