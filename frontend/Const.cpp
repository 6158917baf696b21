#include "frontend/Const.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tilewright::frontend;
using llvm::formatv;
using llvm::StringRef;

//===- Dtypes ---------------------------------------------------------------------------------===//

StringRef tilewright::frontend::dtypeName(Dtype dtype) {
  switch (dtype) {
#define DTYPE(enumerator, name, ...)                                                               \
  case Dtype::enumerator:                                                                          \
    return name;
#include "frontend/Dtypes.def"
  }
  return "";
}

std::optional<Dtype> tilewright::frontend::dtypeFromName(StringRef name) {
#define DTYPE(enumerator, spelling, ...)                                                           \
  if (name == spelling)                                                                            \
    return Dtype::enumerator;
#include "frontend/Dtypes.def"
  return std::nullopt;
}

Type tilewright::frontend::dtypeToType(Dtype dtype, MLIRContext &context) {
  Builder builder(&context);
  switch (dtype) {
#define DTYPE(enumerator, name, isFloat, bits, getter)                                             \
  case Dtype::enumerator:                                                                          \
    return builder.getter;
#include "frontend/Dtypes.def"
  }
  return {};
}

bool tilewright::frontend::isFloat(Dtype dtype) {
  switch (dtype) {
#define DTYPE(enumerator, name, isFloat, ...)                                                      \
  case Dtype::enumerator:                                                                          \
    return isFloat;
#include "frontend/Dtypes.def"
  }
  return false;
}

//===- Values ---------------------------------------------------------------------------------===//

/// The shortest decimal that reads back as the same number.
static std::string shortest(double number) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, number);
    if (strtod(text, nullptr) == number)
      break;
  }
  return text;
}

std::string tilewright::frontend::toString(const ConstValue &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "True" : "False";
  if (auto *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (auto *number = std::get_if<double>(&value))
    return shortest(*number);
  if (auto *dtype = std::get_if<Dtype>(&value))
    return dtypeName(*dtype).str();
  if (auto *text = std::get_if<std::string>(&value))
    return "\"" + *text + "\"";
  return "None";
}

StringRef tilewright::frontend::typeOf(const ConstValue &value) {
  static constexpr StringRef kNames[] = {"None", "bool", "int", "float", "dtype", "string"};
  return kNames[value.index()];
}

std::optional<int64_t> tilewright::frontend::asInt(const ConstValue &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag;
  if (auto *integer = std::get_if<int64_t>(&value))
    return *integer;
  return std::nullopt;
}

double tilewright::frontend::asDouble(const ConstValue &value) {
  if (auto *number = std::get_if<double>(&value))
    return *number;
  return double(asInt(value).value_or(0));
}

std::optional<bool> tilewright::frontend::truth(const ConstValue &value) {
  if (isNone(value))
    return false;
  if (isNumber(value))
    return asDouble(value) != 0;
  return std::nullopt;
}

//===- Operators ------------------------------------------------------------------------------===//

static std::nullopt_t noOperator(TokenKind op, const ConstValue &left, const ConstValue &right,
                                 std::string &error) {
  error =
      formatv("`{0}` does not apply to `{1}` and `{2}`", spelling(op), typeOf(left), typeOf(right));
  return std::nullopt;
}

std::optional<ConstValue> tilewright::frontend::foldUnary(TokenKind op, const ConstValue &operand,
                                                          std::string &error) {
  if (op == TokenKind::KwNot)
    if (std::optional<bool> value = truth(operand))
      return ConstValue(!*value);
  if (auto *number = std::get_if<double>(&operand)) {
    if (op == TokenKind::Minus)
      return ConstValue(-*number);
    if (op == TokenKind::Plus)
      return operand;
  } else if (std::optional<int64_t> integer = asInt(operand)) {
    if (op == TokenKind::Tilde)
      return std::holds_alternative<bool>(operand) ? ConstValue(!*integer) : ConstValue(~*integer);
    if (op == TokenKind::Plus)
      return ConstValue(*integer);
    int64_t result;
    if (op == TokenKind::Minus && !llvm::SubOverflow(int64_t(0), *integer, result))
      return ConstValue(result);
  }
  error = formatv("`{0}` does not apply to `{1}`", spelling(op), toString(operand));
  return std::nullopt;
}

static std::optional<int64_t> power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  if (base == 0 || base == 1)
    return exponent == 0 ? 1 : base;
  for (int64_t i = 0; i < exponent; ++i)
    if (llvm::MulOverflow(result, base, result))
      return std::nullopt;
  return result;
}

static std::optional<ConstValue> foldInts(TokenKind op, int64_t a, int64_t b, std::string &error) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case TokenKind::Plus:
    overflow = llvm::AddOverflow(a, b, result);
    break;
  case TokenKind::Minus:
    overflow = llvm::SubOverflow(a, b, result);
    break;
  case TokenKind::Star:
    overflow = llvm::MulOverflow(a, b, result);
    break;
  case TokenKind::Slash:
  case TokenKind::SlashSlash:
  case TokenKind::Percent:
    if (b == 0) {
      error = formatv("`{0} {1} 0` divides by zero", a, spelling(op));
      return std::nullopt;
    }
    if (op == TokenKind::Slash)
      return ConstValue(double(a) / double(b));
    if (b == -1) { // the one quotient that may not fit
      overflow = op == TokenKind::SlashSlash && llvm::SubOverflow(int64_t(0), a, result);
      break;
    }
    result = op == TokenKind::SlashSlash ? a / b - (a % b != 0 && (a < 0) != (b < 0))
                                         : (a % b != 0 && (a < 0) != (b < 0) ? a % b + b : a % b);
    break;
  case TokenKind::StarStar: {
    if (b < 0)
      return ConstValue(std::pow(double(a), double(b)));
    std::optional<int64_t> value = (a == -1) ? (b % 2 ? -1 : 1) : power(a, b);
    overflow = !value;
    result = value.value_or(0);
    break;
  }
  case TokenKind::Amp:
    result = a & b;
    break;
  case TokenKind::Pipe:
    result = a | b;
    break;
  case TokenKind::Caret:
    result = a ^ b;
    break;
  case TokenKind::LessLess:
  case TokenKind::GreaterGreater:
    if (b < 0 || b > 62) {
      error = formatv("`{0} {1} {2}` shifts by more than 62 bits", a, spelling(op), b);
      return std::nullopt;
    }
    result = op == TokenKind::GreaterGreater ? a >> b : int64_t(uint64_t(a) << b);
    overflow = op == TokenKind::LessLess && (result >> b) != a;
    break;
  default:
    error = formatv("`{0}` does not apply to integers", spelling(op));
    return std::nullopt;
  }
  if (overflow) {
    error = formatv("`{0} {1} {2}` does not fit in 64 bits", a, spelling(op), b);
    return std::nullopt;
  }
  return ConstValue(result);
}

std::optional<ConstValue> tilewright::frontend::foldBinary(TokenKind op, const ConstValue &left,
                                                           const ConstValue &right,
                                                           std::string &error) {
  if (!isNumber(left) || !isNumber(right))
    return noOperator(op, left, right, error);
  std::optional<int64_t> a = asInt(left), b = asInt(right);
  if (a && b) {
    std::optional<ConstValue> result = foldInts(op, *a, *b, error);
    bool bools = std::holds_alternative<bool>(left) && std::holds_alternative<bool>(right);
    bool logical = op == TokenKind::Amp || op == TokenKind::Pipe || op == TokenKind::Caret;
    if (result && bools && logical)
      return ConstValue(std::get<int64_t>(*result) != 0);
    return result;
  }
  double x = asDouble(left), y = asDouble(right);
  switch (op) {
  case TokenKind::Plus:
    return ConstValue(x + y);
  case TokenKind::Minus:
    return ConstValue(x - y);
  case TokenKind::Star:
    return ConstValue(x * y);
  case TokenKind::Slash:
  case TokenKind::SlashSlash:
  case TokenKind::Percent:
    if (y == 0) {
      error = formatv("`{0} {1} 0` divides by zero", shortest(x), spelling(op));
      return std::nullopt;
    }
    if (op == TokenKind::Slash)
      return ConstValue(x / y);
    return ConstValue(op == TokenKind::SlashSlash ? std::floor(x / y) : x - y * std::floor(x / y));
  case TokenKind::StarStar:
    return ConstValue(std::pow(x, y));
  default:
    return noOperator(op, left, right, error);
  }
}

std::optional<ConstValue> tilewright::frontend::foldCompare(TokenKind op, const ConstValue &left,
                                                            const ConstValue &right,
                                                            std::string &error) {
  bool numbers = isNumber(left) && isNumber(right);
  if (op == TokenKind::EqualEqual || op == TokenKind::NotEqual) {
    bool equal = numbers ? asDouble(left) == asDouble(right) : left == right;
    return ConstValue(equal == (op == TokenKind::EqualEqual));
  }
  if (!numbers)
    return noOperator(op, left, right, error);
  auto compare = [op](auto x, auto y) {
    switch (op) {
    case TokenKind::Less:
      return x < y;
    case TokenKind::LessEqual:
      return x <= y;
    case TokenKind::Greater:
      return x > y;
    default:
      return x >= y;
    }
  };
  if (auto a = asInt(left), b = asInt(right); a && b)
    return ConstValue(compare(*a, *b));
  return ConstValue(compare(asDouble(left), asDouble(right)));
}

//===- Expressions ----------------------------------------------------------------------------===//

std::optional<ConstValue>
tilewright::frontend::evaluate(const Source &source, const Expr &expr,
                               llvm::function_ref<std::optional<ConstValue>(StringRef)> lookUp) {
  auto operand = [&](unsigned i) { return evaluate(source, *expr.operands[i], lookUp); };
  std::string error;
  std::optional<ConstValue> result;
  switch (expr.kind) {
  case ExprKind::Literal:
    return expr.value;
  case ExprKind::Name:
    result = lookUp(expr.name);
    if (!result)
      source.error(expr.loc) << "`" << expr.name << "` is not a compile-time constant";
    return result;
  case ExprKind::Unary: {
    std::optional<ConstValue> value = operand(0);
    if (!value)
      return std::nullopt;
    result = foldUnary(expr.op, *value, error);
    break;
  }
  case ExprKind::Binary:
  case ExprKind::Compare: {
    if (expr.op == TokenKind::KwIs) {
      error = "`is` is not supported between constants";
      break;
    }
    std::optional<ConstValue> left = operand(0), right = left ? operand(1) : std::nullopt;
    if (!right)
      return std::nullopt;
    result =
        (expr.kind == ExprKind::Binary ? foldBinary : foldCompare)(expr.op, *left, *right, error);
    break;
  }
  default:
    error = "expected a compile-time constant: a literal, or arithmetic on constants";
  }
  if (!result)
    source.error(expr.loc) << error;
  return result;
}
