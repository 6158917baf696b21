#include "frontend/ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace tilewright::frontend;
using llvm::StringRef;

/// Deep enough for any kernel, shallow enough for any stack.
static constexpr unsigned kMaxDepth = 120;

bool Parser::Nesting::tooDeep() {
  if (parser.depth <= kMaxDepth)
    return false;
  parser.source.error(parser.peek().loc) << "the code is nested more than " << kMaxDepth << " deep";
  return true;
}

Expr *Parser::make(ExprKind kind, Loc loc, llvm::ArrayRef<Expr *> operands, TokenKind op) {
  unsigned depth = 0;
  for (Expr *operand : operands)
    depth = std::max(depth, operand ? operand->depth : 0);
  if (depth >= kMaxDepth) {
    source.error(loc) << "the expression is nested more than " << kMaxDepth
                      << " deep: name a part of it";
    return nullptr;
  }
  Expr &node = ast.exprs.emplace_back();
  node.kind = kind;
  node.loc = loc;
  node.op = op;
  node.operands.assign(operands.begin(), operands.end());
  node.depth = depth + 1;
  return &node;
}

bool Parser::startsExpr() const {
  switch (peek().kind) {
  case TokenKind::Name:
  case TokenKind::Int:
  case TokenKind::Float:
  case TokenKind::String:
  case TokenKind::LParen:
  case TokenKind::Minus:
  case TokenKind::Plus:
  case TokenKind::Tilde:
  case TokenKind::KwNot:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwNone:
    return true;
  default:
    return false;
  }
}

Expr *Parser::exprs() {
  Loc loc = peek().loc;
  Expr *first = expr();
  if (!first || !at(TokenKind::Comma))
    return first;
  llvm::SmallVector<Expr *> elements{first};
  while (accept(TokenKind::Comma) && startsExpr()) {
    elements.push_back(expr());
    if (!elements.back())
      return nullptr;
  }
  return make(ExprKind::Tuple, loc, elements);
}

Expr *Parser::expr() {
  Nesting nesting(*this);
  if (nesting.tooDeep())
    return nullptr;
  Expr *value = logical(TokenKind::KwOr);
  if (value && at(TokenKind::ColonEqual)) {
    source.error(peek().loc) << "`:=` is not supported: assign on a line of its own";
    return nullptr;
  }
  if (!value || !at(TokenKind::KwIf))
    return value;
  Loc loc = take().loc;
  Expr *condition = logical(TokenKind::KwOr);
  if (!condition || failed(expect(TokenKind::KwElse, "after `if` in an expression")))
    return nullptr;
  Expr *otherwise = expr();
  return otherwise ? make(ExprKind::Conditional, loc, {value, condition, otherwise}) : nullptr;
}

/// `or` of `and` of `not`.
Expr *Parser::logical(TokenKind op) {
  auto next = [&] { return op == TokenKind::KwOr ? logical(TokenKind::KwAnd) : negation(); };
  Expr *left = next();
  while (left && at(op)) {
    Loc loc = take().loc;
    Expr *right = next();
    left = right ? make(ExprKind::Logical, loc, {left, right}, op) : nullptr;
  }
  return left;
}

Expr *Parser::negation() {
  if (!at(TokenKind::KwNot))
    return comparison();
  Nesting nesting(*this);
  if (nesting.tooDeep())
    return nullptr;
  Loc loc = take().loc;
  Expr *operand = negation();
  return operand ? make(ExprKind::Unary, loc, {operand}, TokenKind::KwNot) : nullptr;
}

static bool isComparison(TokenKind kind) {
  return kind == TokenKind::Less || kind == TokenKind::LessEqual || kind == TokenKind::Greater ||
         kind == TokenKind::GreaterEqual || kind == TokenKind::EqualEqual ||
         kind == TokenKind::NotEqual || kind == TokenKind::KwIs;
}

Expr *Parser::comparison() {
  Expr *left = binary(0);
  if (!left)
    return nullptr;
  if (at(TokenKind::KwIn) || (at(TokenKind::KwNot) && peek(1).kind == TokenKind::KwIn)) {
    source.error(peek().loc) << "`in` tests are not supported: compare with `==` and `or`";
    return nullptr;
  }
  if (!isComparison(peek().kind))
    return left;
  const Token &op = take();
  bool negated = op.kind == TokenKind::KwIs && accept(TokenKind::KwNot);
  Expr *right = binary(0);
  if (!right)
    return nullptr;
  if (isComparison(peek().kind)) {
    source.error(peek().loc) << "chained comparisons are not supported: write `(a < b) & (b < c)` "
                                "for tiles, `a < b and b < c` for scalars";
    return nullptr;
  }
  Expr *node = make(ExprKind::Compare, op.loc, {left, right}, op.kind);
  if (node)
    node->negated = negated;
  return node;
}

/// The precedence of a binary operator, loosest 0; -1 for anything else.
static int precedenceOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return 0;
  case TokenKind::Caret:
    return 1;
  case TokenKind::Amp:
    return 2;
  case TokenKind::LessLess:
  case TokenKind::GreaterGreater:
    return 3;
  case TokenKind::Plus:
  case TokenKind::Minus:
    return 4;
  case TokenKind::Star:
  case TokenKind::Slash:
  case TokenKind::SlashSlash:
  case TokenKind::Percent:
    return 5;
  default:
    return -1;
  }
}

Expr *Parser::binary(int precedence) {
  Expr *left = unary();
  while (left && precedenceOf(peek().kind) >= precedence) {
    const Token &op = take();
    Expr *right = binary(precedenceOf(op.kind) + 1);
    left = right ? make(ExprKind::Binary, op.loc, {left, right}, op.kind) : nullptr;
  }
  if (left && at(TokenKind::At)) {
    source.error(peek().loc) << "`@` is not supported: write `dot(a, b)`";
    return nullptr;
  }
  return left;
}

Expr *Parser::unary() {
  if (!at(TokenKind::Minus) && !at(TokenKind::Plus) && !at(TokenKind::Tilde))
    return power();
  Nesting nesting(*this);
  if (nesting.tooDeep())
    return nullptr;
  const Token &op = take();
  // The smallest i64 has no positive counterpart to negate.
  if (op.kind == TokenKind::Minus && at(TokenKind::Int) && peek().text == "9223372036854775808") {
    take();
    Expr *node = make(ExprKind::Literal, op.loc);
    node->value = std::numeric_limits<int64_t>::min();
    return node;
  }
  Expr *operand = unary();
  return operand ? make(ExprKind::Unary, op.loc, {operand}, op.kind) : nullptr;
}

Expr *Parser::power() {
  Expr *base = postfix();
  if (!base || !at(TokenKind::StarStar))
    return base;
  Nesting nesting(*this);
  if (nesting.tooDeep())
    return nullptr;
  Loc loc = take().loc;
  Expr *exponent = unary();
  return exponent ? make(ExprKind::Binary, loc, {base, exponent}, TokenKind::StarStar) : nullptr;
}

Expr *Parser::postfix() {
  Expr *node = atom();
  while (node) {
    if (at(TokenKind::LParen)) {
      node = call(node);
    } else if (at(TokenKind::LBracket)) {
      node = subscripts(node);
    } else if (at(TokenKind::Dot)) {
      take();
      const Token &name = peek();
      if (failed(expect(TokenKind::Name, "after `.`")))
        return nullptr;
      node = make(ExprKind::Attribute, name.loc, {node});
      if (node)
        node->name = name.text;
    } else {
      break;
    }
  }
  return node;
}

Expr *Parser::call(Expr *callee) {
  take();
  llvm::SmallVector<Expr *> operands{callee};
  std::vector<Keyword> keywords;
  while (!at(TokenKind::RParen)) {
    if (at(TokenKind::Star) || at(TokenKind::StarStar)) {
      source.error(peek().loc) << "`" << peek().text << "` in a call is not supported: write the "
                               << "arguments out";
      return nullptr;
    }
    bool named = at(TokenKind::Name) && peek(1).kind == TokenKind::Equal;
    if (named) {
      const Token &name = take();
      take();
      keywords.push_back({name.text, name.loc, nullptr});
    } else if (!keywords.empty()) {
      source.error(peek().loc) << "an argument without a name follows `" << keywords.back().name
                               << "=`";
      return nullptr;
    }
    Expr *value = expr();
    if (!value)
      return nullptr;
    if (at(TokenKind::KwFor)) {
      source.error(peek().loc) << "comprehensions are not supported: write a `for` loop";
      return nullptr;
    }
    (named ? keywords.back().value = value : operands.emplace_back(value));
    if (!accept(TokenKind::Comma))
      break;
  }
  if (failed(expect(TokenKind::RParen, "at the end of the arguments")))
    return nullptr;
  for (Keyword &keyword : keywords)
    if (keyword.value->depth >= kMaxDepth) {
      source.error(keyword.loc) << "the expression is nested more than " << kMaxDepth << " deep";
      return nullptr;
    }
  Expr *node = make(ExprKind::Call, callee->loc, operands);
  if (node) {
    for (Keyword &keyword : keywords)
      node->depth = std::max(node->depth, keyword.value->depth + 1);
    node->keywords = std::move(keywords);
  }
  return node;
}

Expr *Parser::subscripts(Expr *base) {
  Loc loc = take().loc;
  llvm::SmallVector<Expr *> operands{base};
  while (!at(TokenKind::RBracket)) {
    operands.push_back(subscript());
    if (!operands.back())
      return nullptr;
    if (!accept(TokenKind::Comma))
      break;
  }
  if (operands.size() == 1) {
    source.error(loc) << "`[]` needs a subscript";
    return nullptr;
  }
  if (failed(expect(TokenKind::RBracket, "at the end of the subscripts")))
    return nullptr;
  return make(ExprKind::Subscript, base->loc, operands);
}

Expr *Parser::subscript() {
  if (at(TokenKind::Ellipsis)) {
    source.error(peek().loc) << "`...` is not supported: write a `:` for each dimension";
    return nullptr;
  }
  Loc loc = peek().loc;
  Expr *parts[3] = {};
  unsigned part = 0;
  while (true) {
    if (!at(TokenKind::Colon) && !at(TokenKind::Comma) && !at(TokenKind::RBracket)) {
      parts[part] = expr();
      if (!parts[part])
        return nullptr;
    }
    if (part == 2 || !accept(TokenKind::Colon))
      break;
    ++part;
  }
  if (part == 0)
    return parts[0] ? parts[0] : (unexpected("a subscript"), nullptr);
  return make(ExprKind::Slice, loc, {parts[0], parts[1], parts[2]});
}

Expr *Parser::atom() {
  const Token &token = peek();
  auto literal = [&](ConstValue value) {
    take();
    Expr *node = make(ExprKind::Literal, token.loc);
    node->value = value;
    return node;
  };
  switch (token.kind) {
  case TokenKind::Name: {
    take();
    Expr *node = make(ExprKind::Name, token.loc);
    node->name = token.text;
    return node;
  }
  case TokenKind::KwTrue:
    return literal(true);
  case TokenKind::KwFalse:
    return literal(false);
  case TokenKind::KwNone:
    return literal(std::monostate());
  case TokenKind::Int:
    return integer();
  case TokenKind::Float:
    return floating();
  case TokenKind::String:
    return string();
  case TokenKind::LParen:
    return parenthesis();
  case TokenKind::LBracket:
    source.error(token.loc) << "lists are not supported: write a tuple, `(a, b)`";
    return nullptr;
  case TokenKind::LBrace:
    source.error(token.loc) << "dictionaries and sets are not supported: use variables";
    return nullptr;
  case TokenKind::Unsupported:
    return unsupported();
  default:
    unexpected("an expression");
    return nullptr;
  }
}

Expr *Parser::parenthesis() {
  Loc loc = take().loc;
  if (accept(TokenKind::RParen))
    return make(ExprKind::Tuple, loc);
  Expr *inner = exprs();
  if (inner && at(TokenKind::KwFor)) {
    source.error(peek().loc) << "comprehensions are not supported: write a `for` loop";
    return nullptr;
  }
  if (!inner || failed(expect(TokenKind::RParen, "at the end of the parenthesis")))
    return nullptr;
  return inner;
}

Expr *Parser::integer() {
  const Token &token = take();
  std::string digits;
  for (char c : token.text)
    if (c != '_')
      digits += c;
  llvm::APInt value;
  StringRef text = digits;
  bool decimal = text.size() < 2 || !llvm::isAlpha(text[1]);
  if (decimal && text.size() > 1 && text[0] == '0' && text.find_first_not_of('0') != text.npos) {
    source.error(token.loc) << "the number `" << token.text << "` starts with a zero";
    return nullptr;
  }
  if (text.size() > 80 || text.getAsInteger(decimal ? 10 : 0, value)) {
    source.error(token.loc) << "`" << token.text.take_front(80) << "` is not a number";
    return nullptr;
  }
  if (value.getActiveBits() > 63) {
    source.error(token.loc) << "the number `" << token.text << "` does not fit in 64 bits";
    return nullptr;
  }
  Expr *node = make(ExprKind::Literal, token.loc);
  node->value = int64_t(value.getZExtValue());
  return node;
}

Expr *Parser::floating() {
  const Token &token = take();
  std::string digits;
  for (char c : token.text)
    if (c != '_')
      digits += c;
  llvm::APFloat value(0.0);
  auto status = value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    source.error(token.loc) << "`" << token.text << "` is not a number";
    return nullptr;
  }
  if (*status & llvm::APFloat::opOverflow) {
    source.error(token.loc) << "the number `" << token.text << "` is too large";
    return nullptr;
  }
  Expr *node = make(ExprKind::Literal, token.loc);
  node->value = value.convertToDouble();
  return node;
}

/// Adjacent strings join, as in Python.
Expr *Parser::string() {
  Expr *node = make(ExprKind::Literal, peek().loc);
  std::string value;
  while (at(TokenKind::String)) {
    StringRef text = take().text;
    for (size_t i = 0; i < text.size(); ++i) {
      char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
      if (next == 'n' || next == 't' || next == '\\' || next == '"' || next == '\'') {
        value += next == 'n' ? '\n' : next == 't' ? '\t' : next;
        ++i;
      } else {
        value += text[i];
      }
    }
  }
  node->value = std::move(value);
  return node;
}
