//===- Expr.h - Expressions over launch-time values -------------*- C++ -*-===//
//
// The grid size and the asserts of a kernel are expressions over its dimensions and scalar
// arguments, known only at the launch. The compiler builds them, bundles store them as text, a
// launch evaluates them in a few nanoseconds and without allocating.
//
// The text form is Python's: `cdiv(S, 128) * B`, `H % G == 0 and not causal`, with `//`, `%`,
// `min`, `max`, comparisons (not chained) and `and`, `or`, `not`. Integers are 64-bit; a comparison
// gives 0 or 1; division rounds down and the remainder has the divisor's sign, as in Python.
//
// Floats are f32, as in a kernel: an argument has been rounded to its type, sums and products are
// rounded. They can be added, subtracted, multiplied and compared; an integer beside a float
// becomes one. With NaN a comparison is false, so `scale > 0.0` refuses it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "support/ErrorOr.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::runtime {

/// The operators; see Expr.def for their spelling and precedence.
enum class ExprOp : uint8_t {
  Constant,
  Name,
#define TILEWRIGHT_EXPR_OP(enumerator, spelling, form, precedence) enumerator,
#include "runtime/Expr.def"
};

/// The value of a name or of an expression.
using ExprValue = std::variant<int64_t, float>;

/// As in the text form: "128", "0.5", "1.0", "inf". A NaN is "nan", which the text form has not.
std::string str(const ExprValue &value);

class Expr {
public:
  /// The constant 0.
  Expr() : Expr(constant(0)) {}

  static Expr constant(ExprValue value);
  static Expr name(std::string name);
  static Expr unary(ExprOp op, const Expr &operand);
  static Expr binary(ExprOp op, const Expr &lhs, const Expr &rhs);

  /// Reads the text form; the error quotes the text and says where it stops making sense.
  static ErrorOr<Expr> parse(std::string_view text);

  /// The text form, with no more parentheses than needed. parse(str()) gives an equal expression.
  std::string str() const;

  /// The names used, each once, in the order of the values that eval expects.
  const std::vector<std::string> &names() const { return nameTable; }

  /// The same expression with `table` as its name table, so that several expressions can be
  /// evaluated on one array of values. Fails if a name in use is not in `table`.
  ErrorOr<Expr> withNames(std::vector<std::string> table) const;

  /// Evaluates with values[i] for names()[i]. `and` and `or` evaluate their right side only if
  /// needed. Fails on overflow of 64 bits, on division by zero, where an operator takes no floats
  /// and where the result is one, quoting the subexpression and the values. Allocates only to
  /// report a failure.
  ErrorOr<int64_t> eval(std::span<const ExprValue> values) const;

  /// Evaluates with values looked up by name; fails also if the lookup gives nothing.
  ErrorOr<int64_t>
  eval(const std::function<std::optional<ExprValue>(std::string_view)> &lookup) const;

  /// The values of the names in use, for messages: "`H` = 6, `G` = 4"; empty if there are none.
  std::string describeValues(std::span<const ExprValue> values) const;

  /// Calls `change` with each number that stands in it, in one order for expressions of one form.
  void forEachConstant(const std::function<void(ExprValue &)> &change);

  bool operator==(const Expr &) const = default;

private:
  /// Operands come before their users; the last node is the result.
  struct Node {
    ExprOp op = ExprOp::Constant;
    uint32_t lhs = 0; ///< Node index; for Name an index into nameTable.
    uint32_t rhs = 0;
    ExprValue constant = {};

    bool operator==(const Node &) const = default;
  };
  struct Evaluation;

  explicit Expr(std::vector<Node> nodes) : nodes(std::move(nodes)) {}
  uint32_t append(const Expr &other);
  std::string str(uint32_t node, int outer) const;

  std::vector<Node> nodes;
  std::vector<std::string> nameTable;
};

} // namespace tilewright::runtime
