//===- Expr.cpp - Building and printing expressions -----------------------===//

#include "runtime/Expr.h"

#include "runtime/ExprOps.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilewright::runtime {

std::string str(const ExprValue &value) {
  std::array<char, 32> text;
  auto print = [&](auto number) { return std::to_chars(text.begin(), text.end(), number).ptr; };
  std::string digits(text.data(), std::visit(print, value));
  // A point tells 1.0 from 1.
  bool looksWhole = digits.find_first_not_of("-0123456789") == digits.npos;
  return std::holds_alternative<float>(value) && looksWhole ? digits + ".0" : digits;
}

Expr Expr::constant(ExprValue value) {
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

void Expr::forEachConstant(const std::function<void(ExprValue &)> &change) {
  for (Node &node : nodes)
    if (node.op == ExprOp::Constant)
      change(node.constant);
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
                   "` is neither a dimension nor a scalar argument"};
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
    return runtime::str(node.constant);
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

} // namespace tilewright::runtime
