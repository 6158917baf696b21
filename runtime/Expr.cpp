//===- Expr.cpp - Building, printing and evaluating expressions -----------===//

#include "runtime/Expr.h"

#include "runtime/ExprOps.h"

#include <algorithm>
#include <limits>

namespace tilewright::runtime {

Expr Expr::constant(int64_t value) {
  return Expr({Node{.op = ExprOp::Constant, .constant = value}});
}

Expr Expr::name(std::string name) {
  Expr result({Node{.op = ExprOp::Name}});
  result.nameTable = {std::move(name)};
  return result;
}

/// Copies the nodes and names of `other` behind ours; returns where its result is.
uint32_t Expr::append(const Expr &other) {
  auto base = static_cast<uint32_t>(nodes.size());
  for (Node node : other.nodes) {
    if (node.op == ExprOp::Name) {
      const std::string &name = other.nameTable[node.lhs];
      auto it = std::find(nameTable.begin(), nameTable.end(), name);
      node.lhs = static_cast<uint32_t>(it - nameTable.begin());
      if (it == nameTable.end())
        nameTable.push_back(name);
    } else if (node.op != ExprOp::Constant) {
      node.lhs += base;
      node.rhs += exprOpInfo(node.op).form == ExprForm::Prefix ? 0 : base;
    }
    nodes.push_back(node);
  }
  return static_cast<uint32_t>(nodes.size() - 1);
}

Expr Expr::unary(ExprOp op, const Expr &operand) {
  assert(exprOpInfo(op).form == ExprForm::Prefix && "operator takes two operands");
  Expr result = operand;
  auto lhs = static_cast<uint32_t>(result.nodes.size() - 1);
  result.nodes.push_back(Node{.op = op, .lhs = lhs});
  return result;
}

Expr Expr::binary(ExprOp op, const Expr &lhs, const Expr &rhs) {
  assert(exprOpInfo(op).form != ExprForm::Prefix && "operator takes one operand");
  Expr result = lhs;
  auto left = static_cast<uint32_t>(result.nodes.size() - 1);
  uint32_t right = result.append(rhs);
  result.nodes.push_back(Node{.op = op, .lhs = left, .rhs = right});
  return result;
}

ErrorOr<Expr> Expr::withNames(std::vector<std::string> table) const {
  Expr result = *this;
  for (Node &node : result.nodes) {
    if (node.op != ExprOp::Name)
      continue;
    const std::string &name = nameTable[node.lhs];
    auto it = std::find(table.begin(), table.end(), name);
    if (it == table.end())
      return Error{"`" + name + "` in `" + str() +
                   "` is neither a dimension nor an integer argument"};
    node.lhs = static_cast<uint32_t>(it - table.begin());
  }
  result.nameTable = std::move(table);
  return result;
}

std::string Expr::str() const { return str(static_cast<uint32_t>(nodes.size() - 1), 0); }

/// Prints a node, in parentheses if it binds looser than `outer`.
std::string Expr::str(uint32_t index, int outer) const {
  const Node &node = nodes[index];
  if (node.op == ExprOp::Constant)
    return std::to_string(node.constant);
  if (node.op == ExprOp::Name)
    return nameTable[node.lhs];
  const ExprOpInfo &op = exprOpInfo(node.op);
  std::string spelling(op.spelling);
  std::string text;
  switch (op.form) {
  case ExprForm::Leaf:
    break;
  case ExprForm::Call:
    return spelling + "(" + str(node.lhs, 0) + ", " + str(node.rhs, 0) + ")";
  case ExprForm::Prefix:
    // A space keeps `- -x` and `-5` apart: `- 5` is the operator, `-5` a constant.
    text = spelling + " " + str(node.lhs, op.precedence);
    break;
  case ExprForm::Infix:
    // Comparisons do not chain, so they need parentheses on both sides.
    bool comparison = op.precedence == exprOpInfo(ExprOp::Eq).precedence;
    text = str(node.lhs, op.precedence + comparison) + " " + spelling + " " +
           str(node.rhs, op.precedence + 1);
    break;
  }
  return op.precedence < outer ? "(" + text + ")" : text;
}

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// One evaluation: recursion over the nodes, remembering the first that has no value.
struct Expr::Evaluation {
  const Expr &expr;
  std::span<const int64_t> values;
  uint32_t failedNode = 0;
  const char *failure = nullptr;

  int64_t fail(uint32_t index, const char *reason) {
    if (!failure) {
      failure = reason;
      failedNode = index;
    }
    return 0;
  }

  int64_t run(uint32_t index) {
    const Node &node = expr.nodes[index];
    switch (node.op) {
    case ExprOp::Constant:
      return node.constant;
    case ExprOp::Name:
      return values[node.lhs];
    case ExprOp::Not:
      return !run(node.lhs);
    case ExprOp::And:
      return run(node.lhs) && !failure && run(node.rhs);
    case ExprOp::Or:
      return run(node.lhs) || (!failure && run(node.rhs));
    case ExprOp::Neg:
      return combine(index, ExprOp::Sub, 0, run(node.lhs));
    default: {
      int64_t lhs = run(node.lhs);
      int64_t rhs = run(node.rhs);
      return failure ? 0 : combine(index, node.op, lhs, rhs);
    }
    }
  }

  int64_t combine(uint32_t index, ExprOp op, int64_t a, int64_t b) {
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

ErrorOr<int64_t> Expr::eval(std::span<const int64_t> values) const {
  assert(values.size() >= nameTable.size() && "one value per name");
  Evaluation evaluation{*this, values};
  int64_t result = evaluation.run(static_cast<uint32_t>(nodes.size() - 1));
  if (!evaluation.failure)
    return result;
  std::string failed = str(evaluation.failedNode, 0);
  std::string message = "`" + failed + "` " + evaluation.failure;
  std::string with = describeValues(values);
  return Error{with.empty() ? message : message + " with " + with};
}

std::string Expr::describeValues(std::span<const int64_t> values) const {
  std::string text;
  std::vector<bool> seen(nameTable.size());
  for (const Node &node : nodes) {
    if (node.op != ExprOp::Name || seen[node.lhs])
      continue;
    seen[node.lhs] = true;
    text += (text.empty() ? "`" : ", `") + nameTable[node.lhs] +
            "` = " + std::to_string(values[node.lhs]);
  }
  return text;
}

ErrorOr<int64_t>
Expr::eval(const std::function<std::optional<int64_t>(std::string_view)> &lookup) const {
  std::vector<int64_t> values;
  for (const std::string &name : nameTable) {
    std::optional<int64_t> value = lookup(name);
    if (!value)
      return Error{"`" + name + "` in `" + str() + "` has no value"};
    values.push_back(*value);
  }
  return eval(values);
}

} // namespace tilewright::runtime
