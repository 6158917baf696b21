// An absolute value whose sign a mask shows is the number itself, or its negative:
//
//   select (columns <= rows) (s - slope · |rows - columns|) c
//
// becomes select (columns <= rows) (s - slope · (rows - columns)) c, since elements that the mask
// hides may be anything. The distances in a causal attention (ALiBi) are so: what is linear in row
// and column needs less arithmetic (shift-peaks).
#include "passes/analysis/LoopPredicates.h"
#include "passes/say/Explain.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_DROPABSOLUTES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "drop-absolutes";

enum class Sign { NotNegative, NotPositive };

/// Adds what a mask shows: forms that are ≤ 0 where it is true.
void collectForms(Value mask, SmallVectorImpl<TileForm> &forms) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    collectForms(both.getLhs(), forms);
    collectForms(both.getRhs(), forms);
  } else if (auto compare = mask.getDefiningOp<arith::CmpIOp>()) {
    llvm::append_range(forms, formsOf(compare));
  }
}

/// a + factor · b, for tiles of one shape.
TileForm sum(TileForm a, const TileForm &b, int64_t factor) {
  a.base = a.base + b.base * factor;
  for (auto [step, other] : llvm::zip(a.steps, b.steps))
    step += factor * other;
  return a;
}

/// The form of integers, or of a difference of floats to which they were cast: casts keep the
/// order.
std::optional<TileForm> formOf(Value tile) {
  auto difference = tile.getDefiningOp<arith::SubFOp>();
  if (!difference)
    return TileForm::of(tile);
  auto left = TileForm::of(difference.getLhs()), right = TileForm::of(difference.getRhs());
  return left && right ? std::optional(sum(*left, *right, -1)) : std::nullopt;
}

/// The number that all elements are.
std::optional<int64_t> constantOf(const TileForm &form) {
  bool isConstant =
      form.base.isConstant() && llvm::all_of(form.steps, [](int64_t step) { return step == 0; });
  return isConstant ? std::optional(form.base.constant) : std::nullopt;
}

/// The sign of a tile where `shown` are ≤ 0.
std::optional<Sign> signOf(Value tile, ArrayRef<TileForm> shown) {
  std::optional<TileForm> form = formOf(tile);
  if (!form)
    return std::nullopt;
  for (const TileForm &other : shown) {
    if (other.shape != form->shape)
      continue;
    // x = c - other
    if (std::optional<int64_t> c = constantOf(sum(*form, other, 1)); c && *c >= 0)
      return Sign::NotNegative;
    // x = c + other
    if (std::optional<int64_t> c = constantOf(sum(*form, other, -1)); c && *c <= 0)
      return Sign::NotPositive;
  }
  return std::nullopt;
}

void drop(Operation *absolute, Sign sign) {
  explain(absolute, kFlag) << "a mask shows the sign";
  OpBuilder builder(absolute);
  Location loc = absolute->getLoc();
  Value number = absolute->getOperand(0);
  if (sign == Sign::NotPositive && isa<math::AbsFOp>(absolute)) {
    number = builder.create<arith::NegFOp>(loc, number);
  } else if (sign == Sign::NotPositive) {
    Value zero = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(number.getType()));
    number = builder.create<arith::SubIOp>(loc, zero, number);
  }
  absolute->replaceAllUsesWith(ValueRange(number));
  absolute->erase();
}

/// Drops absolute values from what computes a tile, element by element, for one reader that needs
/// it just where `shown` are ≤ 0.
void dropFrom(Value tile, ArrayRef<TileForm> shown) {
  Operation *op = tile.getDefiningOp();
  bool isElementwise = op && (OpTrait::hasElementwiseMappableTraits(op) || isa<tile::CastOp>(op));
  if (!isElementwise || !tile.hasOneUse())
    return;
  for (Value operand : llvm::to_vector(op->getOperands()))
    dropFrom(operand, shown);
  if (isa<math::AbsFOp, math::AbsIOp>(op))
    if (std::optional<Sign> sign = signOf(op->getOperand(0), shown))
      drop(op, *sign);
}

struct DropAbsolutes : impl::DropAbsolutesBase<DropAbsolutes> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp select) { selects.push_back(select); });
    for (arith::SelectOp select : selects) {
      SmallVector<TileForm> shown;
      collectForms(select.getCondition(), shown);
      if (!shown.empty())
        dropFrom(select.getTrueValue(), shown);
    }
  }
};

} // namespace
} // namespace tilewright::passes
