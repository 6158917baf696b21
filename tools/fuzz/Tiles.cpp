// What moves or combines the elements of tiles.
#include "tools/fuzz/Generator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::fuzz;

static constexpr int64_t kMostElements = 4096;

Generator::Made Generator::makeTranspose(const Want &want) {
  Expr a = expr(want.of(Shape{want.type.shape[1], want.type.shape[0]}));
  return accept(want, a.text + ".T", a.facts);
}

/// The shape of what is reduced to `shape` along a drawn axis.
std::optional<Shape> Generator::unreduced(const Shape &shape, size_t &axis) {
  axis = choices.below(uint32_t(shape.size() + 1));
  int64_t extent = drawExtent();
  if (shape.size() > 2 || extent * elementsOf(shape) > kMostElements)
    return std::nullopt;
  Shape source = shape;
  source.insert(source.begin() + axis, extent);
  return source;
}

/// `axis=1`, also counted from the end; nothing where it may be left out.
std::string Generator::axisText(size_t axis, size_t rank) {
  if (rank == 1 && choices.chance(50))
    return "";
  int64_t shown = choices.chance(25) ? int64_t(axis) - int64_t(rank) : int64_t(axis);
  return fmt::format(", axis={}", shown);
}

Generator::Made Generator::makeReduce(const Want &want) {
  Dtype dtype = want.type.dtype;
  size_t axis = 0, form = choices.below(3);
  std::optional<Shape> source = unreduced(want.type.shape, axis);
  if (!source)
    return std::nullopt;
  bool isWhole = want.type.shape.empty() && (*source)[0] <= 32 && choices.chance(30);
  if (isWhole)
    source->push_back(drawExtent());
  Expr a = expr(want.of(*source));
  std::string along = isWhole ? "" : axisText(axis, source->size());
  if (dtype == Dtype::Bool)
    return accept(want, fmt::format("{}({}{})", form ? "any" : "all", a.text, along), a.facts);
  double count = double(elementsOf(*source)) / double(elementsOf(want.type.shape));
  if (form == 0)
    if (Made made = accept(want, fmt::format("sum({}{})", a.text, along),
                           rounded(dtype, total(a.facts, count))))
      return made;
  return accept(want, fmt::format("{}({}{})", form == 1 ? "min" : "max", a.text, along), a.facts);
}

Generator::Made Generator::makeArgReduce(const Want &want) {
  size_t axis = 0;
  bool isMax = choices.chance(50);
  std::optional<Shape> source = unreduced(want.type.shape, axis);
  if (!source)
    return std::nullopt;
  Want inner{{drawNumeric(), *source}, true, want.depth - 1};
  Expr a = expr(inner);
  return accept(
      want,
      fmt::format("{}({}{})", isMax ? "argmax" : "argmin", a.text, axisText(axis, source->size())),
      Facts{0, double((*source)[axis] - 1), 0, 0});
}

Generator::Made Generator::makeScan(const Want &want) {
  const Shape &shape = want.type.shape;
  size_t axis = choices.below(uint32_t(shape.size()));
  Expr a = expr(want.deeper());
  return accept(want, fmt::format("cumsum({}{})", a.text, axisText(axis, shape.size())),
                rounded(want.type.dtype, total(a.facts, double(shape[axis]))));
}

//===- Products -------------------------------------------------------------------------------===//

/// What a product of `depth` terms may lose beyond the rounding of an f32 sum.
static Facts productSum(const Expr &a, const Expr &b, int64_t depth, bool tf32) {
  Facts left = a.facts, right = b.facts;
  if (tf32)
    for (Facts *facts : {&left, &right})
      if (!facts->isExact() || std::ldexp(facts->size(), facts->grain) > 0x1p11)
        facts->error += 0x1p-10 * facts->size();
  Facts result = total(product(left, right), double(depth));
  // Some GPUs sum the products of 8-bit floats with 13 bits behind the point.
  if (isNarrow8(a.type.dtype) && std::ldexp(result.size(), result.grain) > 0x1p12)
    result.error += 0x1p-12 * result.size();
  return result;
}

/// The left operand: any tile, or the rounded result of another product.
Expr Generator::leftOperand(const Want &want) {
  if (frontend::isFloat(want.type.dtype) && want.depth > 1 && choices.chance(25)) {
    Made inner = makeDot(want.of(Dtype::F32));
    if (inner)
      if (std::optional<Facts> facts = rounded(want.type.dtype, inner->facts))
        if (!want.exact || facts->isExact())
          return {inner->text + ".to(" + dtypeName(want.type.dtype).str() + ")", want.type, *facts};
  }
  return expr(want);
}

Generator::Made Generator::makeDot(const Want &want) {
  int64_t m = want.type.shape[0], n = want.type.shape[1];
  bool isFloat = want.type.dtype == Dtype::F32;
  if (!isFloat && want.type.dtype != Dtype::I32)
    return std::nullopt;
  int64_t k = drawDepth();
  Dtype dtype =
      isFloat ? choices.pick({Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F8E4M3, Dtype::F8E5M2})
              : Dtype::I8;
  bool tf32 = dtype == Dtype::F32 && choices.chance(60);
  Want inner{{dtype, {m, k}}, want.exact, want.depth - 1};
  Expr a = leftOperand(inner);
  bool isTransposed = choices.chance(40);
  Expr b = expr(inner.of(isTransposed ? Shape{n, k} : Shape{k, n}));
  std::string right = b.text + (isTransposed ? ".T" : "");
  std::string last = tf32 ? ", tf32=True)" : ")";
  Facts ideal = productSum(a, b, k, tf32);
  size_t form = choices.weighted({4, 2, 1});
  if (form == 0)
    return accept(want, "dot(" + a.text + ", " + right + last, rounded(want.type.dtype, ideal));
  Expr acc = expr(want.deeper());
  std::optional<Facts> facts = rounded(want.type.dtype, sum(ideal, acc.facts));
  if (form == 1)
    return accept(want, "dot(" + a.text + ", " + right + ", " + acc.text + last, facts);
  return accept(want, "(" + acc.text + " + dot(" + a.text + ", " + right + last + ")", facts);
}

//===- Functions ------------------------------------------------------------------------------===//

/// A function made for this one call: its body sees nothing but its parameters.
Generator::Made Generator::makeInlineCall(const Want &want) {
  if (isInline)
    return std::nullopt;
  std::vector<Variable> inner;
  std::string name = fresh("f"), params, args;
  for (uint32_t i = 0, count = 1 + choices.below(3); i < count; ++i) {
    Expr argument = i == 0 || choices.chance(50) ? expr(want.deeper()) : expr(want.of(Shape{}));
    Variable param{"p" + std::to_string(i), argument.type, argument.facts};
    params += (i ? ", " : "") + param.name;
    args += (i ? ", " : "") + argument.text;
    inner.push_back(param);
  }
  isInline = true;
  std::swap(inner, variables);
  std::vector<Range> noRanges;
  std::swap(noRanges, ranges);
  Expr first = expr(want.deeper());
  variables.push_back({"t", first.type, first.facts});
  Expr result = expr(want.deeper());
  std::swap(noRanges, ranges);
  std::swap(inner, variables);
  isInline = false;
  functions += fmt::format("@inline\ndef {}({}):\n    t = {}\n    return {}\n\n\n", name, params,
                           first.text, result.text);
  return accept(want, name + "(" + args + ")", result.facts);
}
