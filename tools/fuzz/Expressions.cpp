// Arithmetic, and what may stand where.
#include "tools/fuzz/Generator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {

bool numeric(const Want &want) { return isNumeric(want.type.dtype); }
bool integer(const Want &want) { return isInteger(want.type.dtype); }
bool floating(const Want &want) {
  return frontend::isFloat(want.type.dtype) && isNumeric(want.type.dtype);
}
bool boolean(const Want &want) { return want.type.dtype == Dtype::Bool; }
bool tile(const Want &want) { return !want.type.shape.empty(); }
bool scalar(const Want &want) { return want.type.shape.empty(); }
bool matrix(const Want &want) { return want.type.shape.size() == 2; }
bool any(const Want &) { return true; }

} // namespace

const std::vector<Generator::Production> &Generator::productions() {
  using G = Generator;
  using W = const Want &;
  static const std::vector<Production> table = {
      {"variable", 10, any, &G::makeVariable},
      {"load", 14, any, &G::makeLoad},
      {"own", 4, any, &G::makeOwnedLoad},
      {"index", 4, [](W w) { return tile(w) && numeric(w); }, &G::makeIndex},
      {"unary", 4, numeric, &G::makeUnary},
      {"binary", 16, numeric, &G::makeBinary},
      {"extreme", 5, numeric, &G::makeExtreme},
      {"fma", 2, floating, &G::makeFma},
      {"power", 1, numeric, &G::makePower},
      {"division", 3, floating, &G::makeDivision},
      {"integer division", 4, integer, &G::makeIntegerDivision},
      {"bits", 3, integer, &G::makeBits},
      {"shift", 2, integer, &G::makeShift},
      {"rounding", 2, floating, &G::makeRounding},
      {"maths", 30, [](W w) { return floating(w) && !w.exact; }, &G::makeMaths},
      {"cast", 8, any, &G::makeCast},
      {"mixed", 3, [](W w) { return tile(w) && numeric(w); }, &G::makeMixed},
      {"comparison", 12, boolean, &G::makeComparison},
      {"mask", 14, [](W w) { return boolean(w) && tile(w); }, &G::makeMask},
      {"logic", 8, boolean, &G::makeLogic},
      {"where", 10, any, &G::makeWhere},
      {"ternary", 4, scalar, &G::makeTernary},
      {"transpose", 5, matrix, &G::makeTranspose},
      {"reduce", 12, [](W w) { return numeric(w) || boolean(w); }, &G::makeReduce},
      {"arg reduce", 6, [](W w) { return w.type.dtype == Dtype::I32; }, &G::makeArgReduce},
      {"scan", 4, [](W w) { return tile(w) && numeric(w); }, &G::makeScan},
      {"dot", 30, matrix, &G::makeDot},
      {"inline", 3, any, &G::makeInlineCall},
  };
  return table;
}

Expr Generator::expr(const Want &want) {
  Choices::Part part(choices);
  std::vector<unsigned> weights{want.depth > 0 ? 4u : 1u}; // 0: a leaf
  for (const Production &production : productions())
    weights.push_back(want.depth > 0 && production.applies(want) ? production.weight : 0);
  size_t index = choices.weighted(weights);
  if (index > 0)
    if (Made made = (this->*productions()[index - 1].make)(want))
      return *made;
  return leaf(want);
}

Expr Generator::leaf(const Want &want) {
  using Maker = Made (Generator::*)(const Want &);
  static constexpr Maker kLeaves[] = {&Generator::makeConstant, &Generator::makeVariable,
                                      &Generator::makeLoad, &Generator::makeIndex,
                                      &Generator::makeScalarInput};
  size_t index =
      choices.weighted({2, 8, 8, tile(want) && numeric(want) ? 2u : 0u, scalar(want) ? 8u : 0u});
  Maker make = kLeaves[index];
  Made made = (this->*make)(want);
  if (!made && index > 0)
    made = makeLoad(want);
  return made ? *made : *makeConstant(want);
}

Generator::Made Generator::accept(const Want &want, std::string text,
                                  const std::optional<Facts> &facts) const {
  if (!facts || (want.exact && !facts->isExact()))
    return std::nullopt;
  return Expr{std::move(text), want.type, *facts};
}

/// Two operands that broadcast to what is wanted; the first is a whole tile unless they are a
/// column and a row.
std::pair<Expr, Expr> Generator::operands(const Want &want) {
  size_t rank = want.type.shape.size();
  size_t form = choices.weighted({5, rank > 0 ? 5u : 0u, rank == 2 ? 2u : 0u});
  if (form == 2) {
    Expr column = expr(want.of(Shape{want.type.shape[0]}));
    Expr row = expr(want.of(Shape{want.type.shape[1]}));
    column.text += "[:, None]";
    row.text += "[None, :]";
    return {column, row};
  }
  Expr first = expr(want.deeper());
  Expr second = form == 0 ? expr(want.deeper()) : repeated(want);
  if (choices.chance(30))
    std::swap(first, second);
  return {first, second};
}

/// An operand that lacks some of the axes, or all.
Expr Generator::repeated(const Want &want) {
  const Shape &shape = want.type.shape;
  uint32_t kept = choices.below((1u << shape.size()) - 1);
  Shape smaller;
  std::string subscripts;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    bool keeps = kept >> axis & 1;
    if (keeps)
      smaller.push_back(shape[axis]);
    subscripts += (axis ? ", " : "") + std::string(keeps ? ":" : "None");
  }
  Expr value = expr(want.of(smaller));
  if (!smaller.empty())
    value.text += "[" + subscripts + "]";
  return value;
}

Generator::Made Generator::makeConstant(const Want &want) {
  double value = choices.below(4);
  bool isNegative = choices.chance(30);
  if (want.type.dtype == Dtype::Bool)
    value = value > 1;
  else if (isNegative && value > 0)
    value = -value;
  return constant(want.type, value);
}

Expr Generator::constant(const Type &type, double value) {
  std::string text = frontend::isFloat(type.dtype) ? fmt::format("{:.1f}", value)
                                                   : fmt::format("{}", int64_t(value));
  std::string dtype = dtypeName(type.dtype).str();
  if (type.dtype == Dtype::Bool)
    text = value ? "True" : "False";
  if (!type.shape.empty())
    text = value == 0 && isNumeric(type.dtype)
               ? fmt::format("zeros({}, {})", tupleText(type.shape), dtype)
               : fmt::format("full({}, {}, {})", tupleText(type.shape), text, dtype);
  else if (type.dtype != Dtype::Bool && type.dtype != Dtype::F32 && type.dtype != Dtype::I32)
    text = fmt::format("({}).to({})", text, dtype);
  else if (value < 0)
    text = "(" + text + ")";
  return {text, type, {value, value, 0, 0}};
}

Generator::Made Generator::makeVariable(const Want &want) {
  std::vector<Variable *> fitting;
  for (Variable &variable : llvm::reverse(variables))
    if (variable.type == want.type && (variable.facts.isExact() || !want.exact))
      fitting.push_back(&variable);
  if (fitting.empty())
    return makeCastVariable(want);
  Variable &variable = *choices.pick(fitting);
  variable.isUsed = true;
  return Expr{variable.name, variable.type, variable.facts};
}

/// A variable of the shape that is wanted, but of another dtype.
Generator::Made Generator::makeCastVariable(const Want &want) {
  std::vector<Variable *> fitting;
  for (Variable &variable : llvm::reverse(variables))
    if (variable.type.shape == want.type.shape && variable.facts.isExact())
      fitting.push_back(&variable);
  if (fitting.empty())
    return std::nullopt;
  Variable &variable = *choices.pick(fitting);
  Made made = convert({variable.name, variable.type, variable.facts}, want);
  variable.isUsed |= made.has_value();
  return made;
}

/// Indices as numbers.
Generator::Made Generator::makeIndex(const Want &want) {
  if (want.type.shape.size() != 1)
    return std::nullopt;
  auto [text, last] = indexText(want.type.shape[0]);
  if (want.type.dtype != Dtype::I32)
    text += ".to(" + dtypeName(want.type.dtype).str() + ")";
  return accept(want, text, rounded(want.type.dtype, {0, last, 0, 0}));
}

/// An index range of this many elements, with its largest element.
std::pair<std::string, double> Generator::indexText(int64_t extent) {
  std::vector<const Range *> fitting;
  for (const Range &range : ranges)
    if (range.extent == extent)
      fitting.push_back(&range);
  if (fitting.empty() || choices.chance(20))
    return {fmt::format("iota({})", extent), double(extent - 1)};
  const Range &range = *choices.pick(fitting);
  return {range.name, range.last};
}

/// A parameter, a program id, a dimension or the counter of a loop.
Generator::Made Generator::makeScalarInput(const Want &want) {
  Dtype dtype = want.type.dtype;
  bool isParam =
      dtype == Dtype::I32 || dtype == Dtype::I64 || dtype == Dtype::F32 || dtype == Dtype::Bool;
  if (!isParam || isInline)
    return std::nullopt;
  if (dtype == Dtype::I32 && choices.chance(50)) {
    const GridAxis &axis = choices.pick(grid);
    return Expr{axis.program, want.type, {0, double(axis.count - 1), 0, 0}};
  }
  std::vector<const ScalarParam *> fitting;
  for (const ScalarParam &param : scalars)
    if (param.dtype == dtype)
      fitting.push_back(&param);
  if (fitting.empty() || choices.chance(30)) {
    double value = dtype == Dtype::Bool ? choices.below(2) : double(choices.between(0, 5));
    scalars.push_back({fresh("s"), dtype, value});
    fitting = {&scalars.back()};
  }
  const ScalarParam &param = *choices.pick(fitting);
  return Expr{param.name, want.type, {param.value, param.value, 0, 0}};
}

//===- Arithmetic -----------------------------------------------------------------------------===//

Generator::Made Generator::makeUnary(const Want &want) {
  bool negates = choices.chance(50);
  Expr a = expr(want.deeper());
  return negates ? accept(want, "(-" + a.text + ")", negated(a.facts))
                 : accept(want, "abs(" + a.text + ")", absolute(a.facts));
}

Generator::Made Generator::makeBinary(const Want &want) {
  size_t op = choices.below(3);
  auto [a, b] = operands(want);
  Facts ideal = op == 0   ? sum(a.facts, b.facts)
                : op == 1 ? difference(a.facts, b.facts)
                          : product(a.facts, b.facts);
  std::string text = fmt::format("({} {} {})", a.text, "+-*"[op], b.text);
  if (Made made = accept(want, text, rounded(want.type.dtype, ideal)))
    return made;
  // Out of range: what stays within it instead.
  return accept(want, fmt::format("maximum({}, {})", a.text, b.text), larger(a.facts, b.facts));
}

Generator::Made Generator::makeExtreme(const Want &want) {
  bool isMax = choices.chance(50);
  auto [a, b] = operands(want);
  std::string name = isMax ? "max" : "min";
  if (tile(want) || choices.chance(50))
    name += "imum";
  return accept(want, fmt::format("{}({}, {})", name, a.text, b.text),
                isMax ? larger(a.facts, b.facts) : smaller(a.facts, b.facts));
}

Generator::Made Generator::makeFma(const Want &want) {
  auto [a, b] = operands(want);
  Expr c = expr(want.deeper());
  return accept(want, fmt::format("fma({}, {}, {})", a.text, b.text, c.text),
                rounded(want.type.dtype, sum(product(a.facts, b.facts), c.facts)));
}

Generator::Made Generator::makePower(const Want &want) {
  int64_t exponent = choices.between(2, 4);
  Expr a = expr(want.deeper());
  std::optional<Facts> facts = a.facts;
  for (int64_t i = 1; facts && i < exponent; ++i)
    facts = rounded(want.type.dtype, product(*facts, a.facts));
  return accept(want, fmt::format("({} ** {})", a.text, exponent), facts);
}

Generator::Made Generator::makeDivision(const Want &want) {
  Dtype dtype = want.type.dtype;
  Expr a = expr(want.deeper());
  if (want.exact || choices.chance(40)) {
    int power = int(choices.between(1, 3));
    Facts quarter = a.facts;
    for (double *bound : {&quarter.low, &quarter.high, &quarter.error})
      *bound = std::ldexp(*bound, -power);
    quarter.grain = std::min(quarter.grain + power, kAnyGrain);
    return accept(want, fmt::format("({} / {}.0)", a.text, 1 << power), rounded(dtype, quarter));
  }
  Expr b = tile(want) && choices.chance(50) ? repeated(want) : expr(want.deeper());
  std::optional<Facts> divisor = rounded(dtype, sum(absolute(b.facts), {1, 1, 0, 0}));
  if (!divisor)
    return std::nullopt;
  double size = a.facts.size();
  // The quotient, and the product with a reciprocal that was rounded before.
  Facts ideal{-size, size, a.facts.error + size * divisor->error + unitOf(dtype) * size, kAnyGrain};
  return accept(want, fmt::format("({} / (abs({}) + 1))", a.text, b.text), rounded(dtype, ideal));
}

Generator::Made Generator::makeIntegerDivision(const Want &want) {
  Dtype dtype = want.type.dtype;
  bool isQuotient = choices.chance(50);
  Expr a = expr(want.deeper());
  Expr b = constant({dtype, {}}, double(choices.between(1, 9)));
  if (choices.chance(40)) {
    Expr x = expr(want.deeper());
    std::optional<Facts> facts = rounded(dtype, sum(absolute(x.facts), {1, 1, 0, 0}));
    if (!facts)
      return std::nullopt;
    b = {"(abs(" + x.text + ") + 1)", x.type, *facts};
  } else if (choices.chance(20)) {
    b = constant({dtype, {}}, -double(choices.between(1, 9)));
  }
  double size = a.facts.size();
  Facts facts = isQuotient        ? Facts{-size, size, 0, 0}
                : b.facts.low > 0 ? Facts{0, b.facts.high - 1, 0, 0}
                                  : Facts{b.facts.low + 1, 0, 0, 0};
  return accept(want, fmt::format("({} {} {})", a.text, isQuotient ? "//" : "%", b.text), facts);
}

Generator::Made Generator::makeBits(const Want &want) {
  size_t op = choices.below(4);
  auto [a, b] = operands(want);
  if (op == 3)
    return accept(want, fmt::format("({} ^ ~{})", a.text, b.text),
                  rounded(want.type.dtype, bitsOf(a.facts, b.facts)));
  return accept(want, fmt::format("({} {} {})", a.text, "&|^"[op], b.text),
                rounded(want.type.dtype, bitsOf(a.facts, b.facts)));
}

Generator::Made Generator::makeShift(const Want &want) {
  int64_t distance = choices.between(0, 3);
  bool isLeft = choices.chance(50);
  Expr a = expr(want.deeper());
  double factor = double(int64_t(1) << distance);
  Facts facts = isLeft ? product(a.facts, {factor, factor, 0, 0})
                       : Facts{std::floor(a.facts.low / factor), std::ceil(a.facts.high / factor)};
  return accept(want, fmt::format("({} {} {})", a.text, isLeft ? "<<" : ">>", distance),
                rounded(want.type.dtype, facts));
}

Generator::Made Generator::makeRounding(const Want &want) {
  const char *name = choices.pick({"floor", "ceil", "round"});
  Want inner = want.deeper();
  inner.exact = true;
  Expr a = expr(inner);
  return accept(want, fmt::format("{}({})", name, a.text),
                Facts{std::floor(a.facts.low), std::ceil(a.facts.high), 0, 0});
}

//===- Functions ------------------------------------------------------------------------------===//

namespace {

/// A function on the part of its domain that is used, with its range and steepest slope there.
struct Function {
  const char *name;
  double low, high;
  double least, most, slope;
};

constexpr Function kFunctions[] = {
    {"exp", -8, 3, 0, 20.1, 20.1},     {"exp2", -10, 4, 0, 16, 11.1},
    {"log", 0.25, 1e4, -1.4, 9.3, 4},  {"log2", 0.25, 1e4, -2, 13.3, 5.8},
    {"sqrt", 0.25, 1e4, 0.5, 100, 1},  {"rsqrt", 0.25, 1e4, 0, 2, 4},
    {"sin", -20, 20, -1, 1, 1},        {"cos", -20, 20, -1, 1, 1},
    {"tanh", -1e4, 1e4, -1, 1, 1},     {"erf", -1e4, 1e4, -1, 1, 1.13},
    {"sigmoid", -1e4, 1e4, 0, 1, 0.25}};

/// What approximate functions lose, relative to 1 or to their largest value.
constexpr double kFunctionError = 0x1p-16;

} // namespace

Generator::Made Generator::makeMaths(const Want &want) {
  const Function &function = kFunctions[choices.below(uint32_t(std::size(kFunctions)))];
  Expr a = expr(want.deeper());
  if (a.facts.low - a.facts.error < function.low || a.facts.high + a.facts.error > function.high)
    a.text = fmt::format("minimum(maximum({}, {}), {})", a.text, function.low, function.high);
  // A scale before an exponential is rounded together with the constant of its base.
  double argument = a.facts.error + 4 * 0x1p-23 * std::min(a.facts.size(), function.high);
  double size = std::max({1.0, std::abs(function.least), std::abs(function.most)});
  Facts ideal{function.least, function.most, function.slope * argument + kFunctionError * size,
              kAnyGrain};
  return accept(want, fmt::format("{}({})", function.name, a.text),
                rounded(want.type.dtype, ideal));
}

//===- Conversions ----------------------------------------------------------------------------===//

/// An exact value, or one that stays a float, in the dtype that is wanted.
Generator::Made Generator::convert(const Expr &value, const Want &want) const {
  Dtype to = want.type.dtype;
  Facts facts = value.facts;
  if (to == Dtype::Bool)
    facts = {0, 1, 0, 0};
  else if (isInteger(to) && frontend::isFloat(value.type.dtype))
    facts = {std::trunc(facts.low), std::trunc(facts.high), 0, 0};
  // `3.to` would be a float.
  std::string text = std::isdigit(value.text[0]) ? "(" + value.text + ")" : value.text;
  return accept(want, fmt::format("{}.to({})", text, dtypeName(to).str()), rounded(to, facts));
}

Generator::Made Generator::makeCast(const Want &want) {
  Dtype to = want.type.dtype, from = drawDtype();
  Want inner = want.of(from);
  inner.exact |= !frontend::isFloat(to) || !frontend::isFloat(from);
  return convert(expr(inner), want);
}

/// Operands of two dtypes that meet in the wider one.
Generator::Made Generator::makeMixed(const Want &want) {
  Dtype to = want.type.dtype, from = to;
  if (to == Dtype::F32)
    from = choices.pick({Dtype::F16, Dtype::BF16, Dtype::I32, Dtype::I8});
  else if (to == Dtype::F16 || to == Dtype::BF16)
    from = Dtype::I8;
  else if (to == Dtype::I32 || to == Dtype::I64)
    from = choices.pick({Dtype::I8, Dtype::I16});
  Expr a = expr(want.deeper()); // a whole tile: its dtype is not a literal's
  Expr b = expr(want.of(from));
  return accept(want, fmt::format("({} + {})", a.text, b.text), rounded(to, sum(a.facts, b.facts)));
}
