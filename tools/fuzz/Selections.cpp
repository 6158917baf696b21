// Comparisons, masks and what chooses by them. Everything here is exact.
#include "tools/fuzz/Generator.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;

static constexpr Facts kBool{0, 1, 0, 0};

static const char *drawComparison(Choices &choices) {
  return choices.pick({"<", "<=", ">", ">=", "==", "!="});
}

Generator::Made Generator::makeComparison(const Want &want) {
  const char *op = drawComparison(choices);
  Want inner = want.of(drawNumeric());
  inner.exact = true;
  auto [a, b] = operands(inner);
  return accept(want, fmt::format("({} {} {})", a.text, op, b.text), kBool);
}

/// What an index is compared with: a dimension, a parameter or a constant.
std::string Generator::limitText(double last) {
  if (!isInline && choices.chance(40)) {
    const GridAxis &axis = choices.pick(grid);
    if (!axis.dim.empty())
      return axis.dim;
  }
  if (choices.chance(40)) {
    Expr scalar = expr({{Dtype::I32, {}}, true, 0});
    return scalar.text;
  }
  return fmt::format("{}", choices.between(0, int64_t(last)));
}

/// A predicate over index ranges, as kernels state their bounds and their causal masks.
Generator::Made Generator::makeMask(const Want &want) {
  const Shape &shape = want.type.shape;
  if (shape.size() > 2)
    return std::nullopt;
  const char *op = drawComparison(choices);
  auto [first, firstLast] = indexText(shape[0]);
  if (shape.size() == 1)
    return accept(want, fmt::format("({} {} {})", first, op, limitText(firstLast)), kBool);
  auto [second, secondLast] = indexText(shape[1]);
  first += "[:, None]";
  second += "[None, :]";
  if (choices.chance(60)) {
    std::string offset = choices.chance(50) ? " + " + limitText(4) : "";
    return accept(want, fmt::format("({} {} {}{})", second, op, first, offset), kBool);
  }
  const char *other = drawComparison(choices);
  std::string left = fmt::format("({} {} {})", first, op, limitText(firstLast));
  std::string right = fmt::format("({} {} {})", second, other, limitText(secondLast));
  return accept(want, fmt::format("({} {} {})", left, choices.pick({"&", "|"}), right), kBool);
}

Generator::Made Generator::makeLogic(const Want &want) {
  bool isScalar = want.type.shape.empty();
  if (choices.chance(25)) {
    Expr a = expr(want.deeper());
    return accept(want, isScalar ? "(not " + a.text + ")" : "(~" + a.text + ")", kBool);
  }
  const char *op = isScalar ? choices.pick({"and", "or"}) : choices.pick({"&", "|", "^"});
  auto [a, b] = operands(want);
  return accept(want, fmt::format("({} {} {})", a.text, op, b.text), kBool);
}

Generator::Made Generator::makeWhere(const Want &want) {
  Want condition = want.of(Dtype::Bool);
  condition.exact = true;
  bool isRepeated = !want.type.shape.empty() && choices.chance(40);
  Expr c = isRepeated ? repeated(condition) : expr(condition);
  auto [a, b] = operands(want);
  return accept(want, fmt::format("where({}, {}, {})", c.text, a.text, b.text),
                hull(a.facts, b.facts));
}

Generator::Made Generator::makeTernary(const Want &want) {
  Want condition = want.of(Dtype::Bool);
  condition.exact = true;
  Expr c = expr(condition), a = expr(want.deeper()), b = expr(want.deeper());
  return accept(want, fmt::format("({} if {} else {})", a.text, c.text, b.text),
                hull(a.facts, b.facts));
}
