//===- ExprEval.cpp - Evaluating expressions ------------------------------===//

#include "runtime/Expr.h"

#include <algorithm>
#include <limits>

namespace tilewright::runtime {

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// One evaluation: recursion over the nodes, remembering the first that has no value.
struct Expr::Evaluation {
  const Expr &expr;
  std::span<const ExprValue> values;
  uint32_t failedNode = 0;
  const char *failure = nullptr;

  int64_t fail(uint32_t index, const char *reason) {
    if (!failure) {
      failure = reason;
      failedNode = index;
    }
    return 0;
  }

  bool holds(uint32_t index) {
    return std::visit([](auto value) { return value != 0; }, run(index));
  }

  ExprValue run(uint32_t index) {
    const Node &node = expr.nodes[index];
    switch (node.op) {
    case ExprOp::Constant:
      return node.constant;
    case ExprOp::Name:
      return values[node.lhs];
    case ExprOp::Not:
      return int64_t(!holds(node.lhs));
    case ExprOp::And:
      return int64_t(holds(node.lhs) && !failure && holds(node.rhs));
    case ExprOp::Or:
      return int64_t(holds(node.lhs) || (!failure && holds(node.rhs)));
    case ExprOp::Neg:
      return combine(index, ExprOp::Sub, int64_t(0), run(node.lhs));
    default: {
      ExprValue lhs = run(node.lhs);
      ExprValue rhs = run(node.rhs);
      return failure ? int64_t(0) : combine(index, node.op, lhs, rhs);
    }
    }
  }

  ExprValue combine(uint32_t index, ExprOp op, const ExprValue &a, const ExprValue &b) {
    const auto *lhs = std::get_if<int64_t>(&a), *rhs = std::get_if<int64_t>(&b);
    if (lhs && rhs)
      return combineIntegers(index, op, *lhs, *rhs);
    auto asFloat = [](auto value) { return static_cast<float>(value); };
    return combineFloats(index, op, std::visit(asFloat, a), std::visit(asFloat, b));
  }

  ExprValue combineFloats(uint32_t index, ExprOp op, float a, float b) {
    switch (op) {
    case ExprOp::Add:
      return a + b;
    case ExprOp::Sub:
      return a - b;
    case ExprOp::Mul:
      return a * b;
    case ExprOp::Eq:
      return int64_t(a == b);
    case ExprOp::Ne:
      return int64_t(a != b);
    case ExprOp::Lt:
      return int64_t(a < b);
    case ExprOp::Le:
      return int64_t(a <= b);
    case ExprOp::Gt:
      return int64_t(a > b);
    case ExprOp::Ge:
      return int64_t(a >= b);
    default:
      return fail(index, "takes integers only");
    }
  }

  int64_t combineIntegers(uint32_t index, ExprOp op, int64_t a, int64_t b) {
    int64_t result = 0;
    switch (op) {
    case ExprOp::Add:
      return __builtin_add_overflow(a, b, &result) ? fail(index, "overflows 64 bits") : result;
    case ExprOp::Sub:
      return __builtin_sub_overflow(a, b, &result) ? fail(index, "overflows 64 bits") : result;
    case ExprOp::Mul:
      return __builtin_mul_overflow(a, b, &result) ? fail(index, "overflows 64 bits") : result;
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
    case ExprOp::CeilDiv:
      return divide(index, op, a, b);
    case ExprOp::Min:
      return std::min(a, b);
    case ExprOp::Max:
      return std::max(a, b);
    case ExprOp::Eq:
      return a == b;
    case ExprOp::Ne:
      return a != b;
    case ExprOp::Lt:
      return a < b;
    case ExprOp::Le:
      return a <= b;
    case ExprOp::Gt:
      return a > b;
    case ExprOp::Ge:
      return a >= b;
    default:
      assert(false && "operator is handled by run");
      return 0;
    }
  }

  int64_t divide(uint32_t index, ExprOp op, int64_t a, int64_t b) {
    if (b == 0)
      return fail(index, "divides by zero");
    if (b == -1 && a == std::numeric_limits<int64_t>::min())
      return op == ExprOp::Mod ? 0 : fail(index, "overflows 64 bits");
    int64_t quotient = floorDiv(a, b);
    if (op == ExprOp::Mod)
      return a - quotient * b;
    return op == ExprOp::FloorDiv ? quotient : quotient + (a % b != 0);
  }
};

ErrorOr<int64_t> Expr::eval(std::span<const ExprValue> values) const {
  assert(values.size() >= nameTable.size() && "one value per name");
  Evaluation evaluation{*this, values};
  auto last = static_cast<uint32_t>(nodes.size() - 1);
  ExprValue result = evaluation.run(last);
  if (!evaluation.failure && std::holds_alternative<float>(result))
    evaluation.fail(last, "is no integer");
  if (!evaluation.failure)
    return *std::get_if<int64_t>(&result);
  std::string failed = str(evaluation.failedNode, 0);
  std::string message = "`" + failed + "` " + evaluation.failure;
  std::string with = describeValues(values);
  return Error{with.empty() ? message : message + " with " + with};
}

std::string Expr::describeValues(std::span<const ExprValue> values) const {
  std::string text;
  std::vector<bool> seen(nameTable.size());
  for (const Node &node : nodes) {
    if (node.op != ExprOp::Name || seen[node.lhs])
      continue;
    seen[node.lhs] = true;
    text += (text.empty() ? "`" : ", `") + nameTable[node.lhs] +
            "` = " + runtime::str(values[node.lhs]);
  }
  return text;
}

ErrorOr<int64_t>
Expr::eval(const std::function<std::optional<ExprValue>(std::string_view)> &lookup) const {
  std::vector<ExprValue> values;
  for (const std::string &name : nameTable) {
    std::optional<ExprValue> value = lookup(name);
    if (!value)
      return Error{"`" + name + "` in `" + str() + "` has no value"};
    values.push_back(*value);
  }
  return eval(values);
}

} // namespace tilewright::runtime
