#include "runtime/Expr.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

static int64_t evaluate(const char *text) {
  ErrorOr<Expr> expr = Expr::parse(text);
  EXPECT_TRUE(expr) << expr.error().message;
  ErrorOr<int64_t> value = expr->eval([](std::string_view name) -> std::optional<int64_t> {
    return name == "S" ? 100 : name == "zero" ? 0 : 7;
  });
  EXPECT_TRUE(value) << value.error().message;
  return *value;
}

static std::string failure(const char *text) {
  ErrorOr<Expr> expr = Expr::parse(text);
  if (!expr)
    return expr.error().message;
  ErrorOr<int64_t> value = expr->eval([](std::string_view name) -> std::optional<int64_t> {
    return name == "big"    ? std::optional(INT64_MAX)
           : name == "zero" ? std::optional<int64_t>(0)
                            : std::nullopt;
  });
  return value ? "no failure" : value.error().message;
}

TEST(Expr, follows_pythons_precedence) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), 7);
  EXPECT_EQ(evaluate("(1 + 2) * 3"), 9);
  EXPECT_EQ(evaluate("10 - 3 - 2"), 5);
  EXPECT_EQ(evaluate("100 // 7 // 2"), 7);
  EXPECT_EQ(evaluate("not 1 == 2"), 1);
  EXPECT_EQ(evaluate("1 == 2 or 3 < 4 and 5 >= 5"), 1);
  EXPECT_EQ(evaluate("1 < 2 and 2 < 3 and 3 != 4"), 1);
  EXPECT_EQ(evaluate("- S + 1"), -99);
  EXPECT_EQ(evaluate("S -1"), 99);
}

TEST(Expr, divides_as_python_does) {
  EXPECT_EQ(evaluate("-7 // 2"), -4);
  EXPECT_EQ(evaluate("-7 % 2"), 1);
  EXPECT_EQ(evaluate("7 % -2"), -1);
  EXPECT_EQ(evaluate("cdiv(S, 8)"), 13);
  EXPECT_EQ(evaluate("cdiv(-7, 2)"), -3);
  EXPECT_EQ(evaluate("min(max(S, 3), 50)"), 50);
}

TEST(Expr, stops_at_the_deciding_side) {
  EXPECT_EQ(evaluate("zero != 0 and S % zero == 0"), 0);
  EXPECT_EQ(evaluate("zero == 0 or S % zero == 0"), 1);
}

TEST(Expr, reports_overflow_and_division_by_zero) {
  EXPECT_EQ(failure("1 + big * 2"), "`big * 2` overflows 64 bits with `big` = 9223372036854775807");
  EXPECT_EQ(failure("big // zero"),
            "`big // zero` divides by zero with `big` = 9223372036854775807, `zero` = 0");
  EXPECT_EQ(failure("(- big - 1) // -1"),
            "`(- big - 1) // -1` overflows 64 bits with `big` = 9223372036854775807");
  EXPECT_EQ(failure("(- big - 1) % -1"), "no failure");
  EXPECT_EQ(failure("other"), "`other` in `other` has no value");
}

/// With `half` = 0.5, `nan` and `two` = 2, an integer.
static ErrorOr<int64_t> withFloats(const char *text) {
  return Expr::parse(text)->eval([](std::string_view name) -> std::optional<ExprValue> {
    return name == "half"  ? ExprValue(0.5f)
           : name == "nan" ? ExprValue(std::nanf(""))
                           : ExprValue(int64_t(2));
  });
}

TEST(Expr, compares_floats) {
  EXPECT_EQ(*withFloats("half > 0.0 and half <= 0.5 and half != 1.0"), 1);
  EXPECT_EQ(*withFloats("- half > 0.0"), 0);
  EXPECT_EQ(*withFloats("half * two == 1.0 and half + half - 0.25 >= 0.75"), 1);
  EXPECT_EQ(*withFloats("half < inf and -inf < half"), 1);
  EXPECT_EQ(*withFloats("not half"), 0);
}

TEST(Expr, rounds_floats_as_a_kernel_does) {
  EXPECT_EQ(*withFloats("16777216.0 + 2 * half == 16777216.0"), 1);
  EXPECT_EQ(*withFloats("0.1 == 0.100000001"), 1);
}

TEST(Expr, no_comparison_with_nan_holds) {
  EXPECT_EQ(*withFloats("nan > 0.0 or nan <= 0.0 or nan == nan"), 0);
  EXPECT_EQ(*withFloats("nan != nan"), 1);
}

TEST(Expr, refuses_floats_where_integers_are_needed) {
  EXPECT_EQ(withFloats("half // 2").error().message,
            "`half // 2` takes integers only with `half` = 0.5");
  EXPECT_EQ(withFloats("half * 2").error().message, "`half * 2` is no integer with `half` = 0.5");
}

TEST(Expr, reports_where_text_stops_making_sense) {
  EXPECT_EQ(failure("1 +"), "expected a value at column 4 of `1 +`");
  EXPECT_EQ(failure("1 2"), "expected an operator at column 3 of `1 2`");
  EXPECT_EQ(failure("cdiv(1)"), "expected `,` at column 7 of `cdiv(1)`");
  EXPECT_EQ(failure("sin(1, 2)"), "unknown function `sin` at column 5 of `sin(1, 2)`");
  EXPECT_EQ(failure("1 < 2 < 3"),
            "comparisons do not chain: write `and` at column 8 of `1 < 2 < 3`");
  EXPECT_EQ(failure("99999999999999999999"),
            "number does not fit in 64 bits at column 1 of `99999999999999999999`");
  EXPECT_EQ(failure("1e99 > 0"), "number does not fit in an f32 at column 1 of `1e99 > 0`");
  EXPECT_EQ(failure("(1 + 2"), "expected `)` at column 7 of `(1 + 2`");
  EXPECT_EQ(failure("min(1, 2"), "expected `)` at column 9 of `min(1, 2`");
  std::string deep(5000, '(');
  EXPECT_EQ(failure(deep.c_str()),
            "expression is nested too deeply at column 201 of `" + deep + "`");
}

TEST(Expr, text_form_round_trips) {
  for (const char *text :
       {"cdiv(S, 128) * H * B", "H % G == 0 and not causal", "a - (b - c)", "(a < b) == (c < d)",
        "- - a", "- 5", "-5", "a - -5", "not (a or b)", "(a + b) * c // d % e", "min(a, max(b, 3))",
        "a > 0.0", "a > -0.5 * b", "a < 1e-05", "inf > a or -inf < info", "a == 3.4028235e+38"}) {
    ErrorOr<Expr> expr = Expr::parse(text);
    ASSERT_TRUE(expr) << expr.error().message;
    EXPECT_EQ(expr->str(), text);
    EXPECT_EQ(*Expr::parse(expr->str()), *expr);
  }
}

TEST(Expr, is_built_from_parts) {
  Expr s = Expr::name("S"), h = Expr::name("H");
  Expr product = Expr::binary(ExprOp::Mul, Expr::binary(ExprOp::CeilDiv, s, Expr::constant(128)),
                              Expr::binary(ExprOp::Add, h, s));
  EXPECT_EQ(product.str(), "cdiv(S, 128) * (H + S)");
  EXPECT_EQ(product, *Expr::parse("cdiv(S, 128) * (H + S)"));
  EXPECT_EQ(product.names(), (std::vector<std::string>{"S", "H"}));
  EXPECT_EQ(Expr::unary(ExprOp::Not, product).str(), "not cdiv(S, 128) * (H + S)");
}

TEST(Expr, shares_a_table_of_values) {
  Expr expr = *Expr::parse("S - H");
  std::vector<ExprValue> values = {int64_t(0), int64_t(5), int64_t(30)};
  EXPECT_EQ(*expr.withNames({"B", "H", "S"})->eval(values), 25);
  EXPECT_EQ(expr.withNames({"S"}).error().message,
            "`H` in `S - H` is neither a dimension nor a scalar argument");
}

TEST(Expr, lets_its_numbers_be_changed) {
  Expr expr = *Expr::parse("cdiv(S, 128) * 2");
  expr.forEachConstant([](ExprValue &number) { number = std::get<int64_t>(number) + 1; });
  EXPECT_EQ(expr.str(), "cdiv(S, 129) * 3");
}
