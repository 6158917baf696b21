//===- ExprParser.cpp - Reading the text form of expressions --------------===//

#include "runtime/ExprOps.h"

#include <cctype>
#include <charconv>

namespace tilewright::runtime {

namespace {

/// Precedence climbing over the operator table.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  ErrorOr<Expr> parseAll() {
    TILEWRIGHT_ASSIGN(Expr result, parseInfix(0));
    skipSpace();
    if (position != text.size())
      return fail("expected an operator");
    return result;
  }

private:
  // Expressions come from files too; the bound keeps a hostile one from exhausting the stack.
  static constexpr int kMaxDepth = 200;

  Error fail(const std::string &what) const {
    return Error{what + " at column " + std::to_string(position + 1) + " of `" + std::string(text) +
                 "`"};
  }

  void skipSpace() {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }

  static bool isNameChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  }

  std::string_view peekName() {
    skipSpace();
    size_t end = position;
    while (end < text.size() && isNameChar(text[end]))
      ++end;
    return text.substr(position, end - position);
  }

  bool accept(std::string_view token) {
    skipSpace();
    bool found =
        isNameChar(token[0]) ? peekName() == token : text.substr(position).starts_with(token);
    if (found)
      position += token.size();
    return found;
  }

  /// The next operator of this form that binds at least as tightly as `minimum`.
  const ExprOpInfo *acceptOperator(ExprForm form, int minimum) {
    for (const ExprOpInfo &op : kExprOps)
      if (op.form == form && op.precedence >= minimum && accept(op.spelling))
        return &op;
    return nullptr;
  }

  ErrorOr<Expr> parseInfix(int minimum) {
    if (++depth > kMaxDepth)
      return fail("expression is nested too deeply");
    TILEWRIGHT_ASSIGN(Expr result, parsePrefix());
    bool afterComparison = false;
    while (const ExprOpInfo *op = acceptOperator(ExprForm::Infix, minimum)) {
      bool comparison = op->precedence == exprOpInfo(ExprOp::Eq).precedence;
      // Grouped to the left, `a < b < c` would not mean what it means in Python.
      if (comparison && afterComparison)
        return fail("comparisons do not chain: write `and`");
      afterComparison = comparison;
      TILEWRIGHT_ASSIGN(Expr rhs, parseInfix(op->precedence + 1));
      result = Expr::binary(op->op, result, rhs);
    }
    --depth;
    return result;
  }

  ErrorOr<Expr> parsePrefix() {
    skipSpace();
    if (startsNumber(text.substr(position)))
      return parseNumber();
    if (const ExprOpInfo *op = acceptOperator(ExprForm::Prefix, 0)) {
      TILEWRIGHT_ASSIGN(Expr operand, parseInfix(op->precedence));
      return Expr::unary(op->op, operand);
    }
    return parseAtom();
  }

  /// `12`, `-12` or a float; `inf` alone is one too.
  static bool startsNumber(std::string_view rest) {
    if (rest.starts_with('-'))
      rest.remove_prefix(1);
    bool isInfinity = rest.starts_with("inf") && (rest.size() == 3 || !isNameChar(rest[3]));
    return isInfinity || (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])));
  }

  ErrorOr<Expr> parseNumber() {
    const char *begin = text.data() + position, *end = text.data() + text.size();
    int64_t integer = 0;
    float real = 0;
    auto [integerEnd, integerCode] = std::from_chars(begin, end, integer);
    auto [realEnd, realCode] = std::from_chars(begin, end, real);
    bool isFloat = realEnd > integerEnd;
    if ((isFloat ? realCode : integerCode) != std::errc())
      return fail(isFloat ? "number does not fit in an f32" : "number does not fit in 64 bits");
    position = static_cast<size_t>((isFloat ? realEnd : integerEnd) - text.data());
    return Expr::constant(isFloat ? ExprValue(real) : ExprValue(integer));
  }

  ErrorOr<Expr> parseAtom() {
    if (accept("(")) {
      TILEWRIGHT_ASSIGN(Expr inner, parseInfix(0));
      if (!accept(")"))
        return fail("expected `)`");
      return inner;
    }
    std::string_view name = peekName();
    if (name.empty())
      return fail("expected a value");
    if (name == "and" || name == "or" || name == "not")
      return fail("expected a value");
    position += name.size();
    return accept("(") ? parseCall(name) : Expr::name(std::string(name));
  }

  ErrorOr<Expr> parseCall(std::string_view name) {
    for (const ExprOpInfo &op : kExprOps) {
      if (op.form != ExprForm::Call || op.spelling != name)
        continue;
      TILEWRIGHT_ASSIGN(Expr lhs, parseInfix(0));
      if (!accept(","))
        return fail("expected `,`");
      TILEWRIGHT_ASSIGN(Expr rhs, parseInfix(0));
      if (!accept(")"))
        return fail("expected `)`");
      return Expr::binary(op.op, lhs, rhs);
    }
    return fail("unknown function `" + std::string(name) + "`");
  }

  std::string_view text;
  size_t position = 0;
  int depth = 0;
};

} // namespace

ErrorOr<Expr> Expr::parse(std::string_view text) { return Parser(text).parseAll(); }

} // namespace tilewright::runtime
