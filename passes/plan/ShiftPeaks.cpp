// What is added to all elements of a row alike does not change by how much they differ from the
// row's peak. So it is taken from the peak of an iteration, once per row, and not added to each
// element. It must be finite, since inf - inf is NaN: the number of the row, times scalars.
//
//   z = x + r                              before' = before - r · f
//   peak = cta.raise before, z times f     peak'   = cta.raise before', x times f
//   exp2 (z · f - peak)              ->    exp2 (x · f - peak')
//                                          peak    = peak' + r · f, or before where it has not
//                                          risen
//
// Distances of rows and columns (ALiBi) are a term of the row and one of the column, and columns
// differ from an iteration's first by the same numbers in all of them:
//
//   s - k · (row - column)   =   s + k · i - k · (row - first),   i = 0, 1, …
//
// k · i is computed in front of the loop, so that each element is left with one addition. ptxas
// would rather compute it again, hence the `cta.opaque`. On an H100, 128 rows of causal attention
// with heads of 128 (4 × 4096 tokens, 16 heads) take 451 us so, 478 without it, and 477 without
// this pass.
#include "passes/Passes.h"
#include "passes/analysis/AffineForm.h"
#include "passes/analysis/UniformTiles.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

namespace tilewright::passes {
#define GEN_PASS_DEF_SHIFTPEAKS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "shift-peaks";

/// A tile as the sum of a tile, of a number for each column, perhaps negated, and of one for each
/// row; null: 0.
struct Terms {
  Value tile, column, row;
  bool isNegative = false; ///< `column`; its negatives would take registers of their own.
};

/// Whether a tile of floats was cast from integers.
bool isWhole(Value tile) {
  auto cast = tile.getDefiningOp<tile::CastOp>();
  return cast && getElementTypeOrSelf(cast.getSource()).isInteger();
}

/// `line` along the other axis of a tile of `type`.
Value repeatAlong(OpBuilder &builder, Location loc, RankedTensorType type, Value line,
                  int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  auto thin = RankedTensorType::get(shape, type.getElementType());
  Value expanded = builder.create<tile::ExpandDimsOp>(loc, thin, line, axis);
  return builder.create<tile::BroadcastOp>(loc, type, expanded);
}

/// Takes apart the tile whose maxima a loop carries.
class Splitter {
public:
  Splitter(scf::ForOp loop, Value whole)
      : loop(loop), whole(whole), type(cast<RankedTensorType>(whole.getType())), builder(loop) {}

  /// The whole as a tile and a number for each row.
  Terms split() {
    Terms terms = split(whole);
    if (terms.row)
      terms.tile = withColumns(whole);
    return terms;
  }

private:
  Terms split(Value tile);
  Terms splitColumn(Value tile, Value column);
  Terms splitNumbers(Value tile, const TileForm &form);
  Terms splitSum(Value tile, Value left, Value right, bool subtracts);
  Terms splitProduct(Value tile, Value source, Value factor);
  Terms splitFma(math::FmaOp fma);
  Terms splitSelect(arith::SelectOp select);
  Terms splitBranch(scf::IfOp branch, unsigned number);
  /// A tile without its row.
  Value withColumns(Value tile);
  bool isReplaced(Value tile) const;

  RankedTensorType lineOf(int64_t axis) const {
    return RankedTensorType::get({type.getDimSize(axis)}, type.getElementType());
  }
  /// As many floats as lie along an axis: first + step · i.
  Value numbers(Location loc, int64_t axis, Value first, int64_t step);
  /// a ± b, where null is 0.
  Value sum(Location loc, Value a, Value b, bool subtracts);
  Value product(Location loc, Value line, Value scalar);
  /// Puts what follows from values outside of the loop in front of it, else behind a tile.
  void place(Value tile, ValueRange operands);

  scf::ForOp loop;
  Value whole;
  RankedTensorType type;
  OpBuilder builder;
  scf::IfOp branch; ///< All of whose uses of a tile are replaced.
  DenseMap<Value, Terms> known;
};

} // namespace

void Splitter::place(Value tile, ValueRange operands) {
  if (llvm::all_of(operands, [&](Value each) { return loop.isDefinedOutsideOfLoop(each); }))
    builder.setInsertionPoint(loop);
  else
    builder.setInsertionPointAfterValue(tile);
}

Value Splitter::sum(Location loc, Value a, Value b, bool subtracts) {
  if (!b)
    return a;
  if (!a)
    return subtracts ? Value(builder.create<arith::NegFOp>(loc, b)) : b;
  return subtracts ? Value(builder.create<arith::SubFOp>(loc, a, b))
                   : Value(builder.create<arith::AddFOp>(loc, a, b));
}

Value Splitter::product(Location loc, Value line, Value scalar) {
  if (!line)
    return {};
  Value factor = builder.create<tile::SplatOp>(loc, line.getType(), scalar);
  return builder.create<arith::MulFOp>(loc, line, factor);
}

/// Whether nobody needs the tile once the whole is replaced.
bool Splitter::isReplaced(Value tile) const {
  return tile == whole || tile.hasOneUse() ||
         (branch &&
          llvm::all_of(tile.getUsers(), [&](Operation *user) { return branch->isAncestor(user); }));
}

Terms Splitter::split(Value tile) {
  if (Value row = repeatedAlong(tile, 1); row && isWhole(row))
    return {nullptr, nullptr, row};
  if (Value column = repeatedAlong(tile, 0))
    return splitColumn(tile, column);
  if (auto found = known.find(tile); found != known.end())
    return found->second;
  Operation *op = tile.getDefiningOp();
  Terms terms{tile, nullptr, nullptr};
  if (!op || !loop->isAncestor(op) || !isReplaced(tile))
    return terms;
  if (auto ofNumbers = dyn_cast<tile::CastOp>(op)) {
    if (auto form = TileForm::of(ofNumbers.getSource()))
      terms = splitNumbers(tile, *form);
  } else if (auto add = dyn_cast<arith::AddFOp>(op))
    terms = splitSum(tile, add.getLhs(), add.getRhs(), /*subtracts=*/false);
  else if (auto subtract = dyn_cast<arith::SubFOp>(op))
    terms = splitSum(tile, subtract.getLhs(), subtract.getRhs(), /*subtracts=*/true);
  else if (auto multiply = dyn_cast<arith::MulFOp>(op))
    terms = uniformOf(multiply.getLhs()) ? splitProduct(tile, multiply.getRhs(), multiply.getLhs())
                                         : splitProduct(tile, multiply.getLhs(), multiply.getRhs());
  else if (auto fma = dyn_cast<math::FmaOp>(op))
    terms = splitFma(fma);
  else if (auto select = dyn_cast<arith::SelectOp>(op))
    terms = splitSelect(select);
  else if (auto either = dyn_cast<scf::IfOp>(op); either && !either.getElseRegion().empty())
    terms = splitBranch(either, cast<OpResult>(tile).getResultNumber());
  known[tile] = terms;
  return terms;
}

Value Splitter::numbers(Location loc, int64_t axis, Value first, int64_t step) {
  auto line = RankedTensorType::get({type.getDimSize(axis)}, builder.getI32Type());
  Value start = first ? first : builder.create<arith::ConstantIntOp>(loc, 0, 32);
  Value values;
  if (step == 1) {
    values = builder.create<tile::RangeOp>(loc, line, start);
  } else {
    Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 32);
    Value range = builder.create<tile::RangeOp>(loc, line, zero);
    Value steps = builder.create<arith::ConstantOp>(
        loc, SplatElementsAttr::get(line, builder.getI32IntegerAttr(int32_t(step))));
    values = builder.create<arith::AddIOp>(loc, builder.create<tile::SplatOp>(loc, line, start),
                                           builder.create<arith::MulIOp>(loc, range, steps));
  }
  return builder.create<tile::CastOp>(loc, lineOf(axis), values);
}

/// Whole numbers a + b · i + c · j are a + b · i in each row, and c · j in each column.
Terms Splitter::splitNumbers(Value tile, const TileForm &form) {
  Location loc = tile.getLoc();
  Terms terms;
  builder.setInsertionPointAfterValue(tile);
  if (form.steps[0]) {
    terms.row = numbers(loc, 0, form.base.materialize(builder, loc), form.steps[0]);
  } else if (!(form.base == AffineForm())) {
    Value first = builder.create<arith::SIToFPOp>(loc, type.getElementType(),
                                                  form.base.materialize(builder, loc));
    terms.row = builder.create<tile::SplatOp>(loc, lineOf(0), first);
  }
  builder.setInsertionPoint(loop);
  if (form.steps[1])
    terms.column = numbers(loc, 1, nullptr, std::abs(form.steps[1]));
  terms.isNegative = form.steps[1] < 0;
  return terms;
}

/// Columns that are numbered from `first` on are `first` in each row, and columns from 0 on.
Terms Splitter::splitColumn(Value tile, Value column) {
  auto cast = column.getDefiningOp<tile::CastOp>();
  auto line = cast ? TileForm::of(cast.getSource()) : std::nullopt;
  if (!line)
    return {nullptr, column, nullptr};
  return splitNumbers(tile, {line->base, {0, line->steps[0]}, {}});
}

Terms Splitter::splitSum(Value tile, Value left, Value right, bool subtracts) {
  Terms a = split(left), b = split(right);
  if (!a.row && !a.column && !b.row && !b.column)
    return {tile, nullptr, nullptr};
  Location loc = tile.getLoc();
  builder.setInsertionPointAfterValue(tile);
  Terms terms{sum(loc, a.tile, b.tile, subtracts), a.column, sum(loc, a.row, b.row, subtracts),
              a.isNegative};
  bool isOtherNegative = b.isNegative != subtracts;
  if (!a.column) {
    terms.column = b.column;
    terms.isNegative = isOtherNegative;
  } else if (b.column) {
    place(tile, {a.column, b.column});
    terms.column = sum(loc, a.column, b.column, a.isNegative != isOtherNegative);
  }
  return terms;
}

Terms Splitter::splitProduct(Value tile, Value source, Value factor) {
  auto uniform = uniformOf(factor);
  if (!uniform || uniform->how)
    return {tile, nullptr, nullptr};
  Terms terms = split(source);
  if (!terms.row && !terms.column)
    return {tile, nullptr, nullptr};
  Location loc = tile.getLoc();
  builder.setInsertionPoint(loop);
  Value scalar =
      uniform->source ? uniform->source : builder.create<arith::ConstantOp>(loc, uniform->number);
  builder.setInsertionPointAfterValue(tile);
  if (terms.tile)
    terms.tile = builder.create<arith::MulFOp>(loc, terms.tile, factor);
  terms.row = product(loc, terms.row, scalar);
  if (terms.column)
    place(tile, {terms.column, scalar});
  terms.column = product(loc, terms.column, scalar);
  return terms;
}

/// x · f + y, of which y is taken apart.
Terms Splitter::splitFma(math::FmaOp fma) {
  Terms terms = split(fma.getC());
  if (!terms.row)
    return {fma, nullptr, nullptr};
  builder.setInsertionPointAfter(fma);
  Location loc = fma.getLoc();
  if (terms.tile)
    terms.tile = builder.create<math::FmaOp>(loc, fma.getA(), fma.getB(), terms.tile);
  else
    terms.tile = builder.create<arith::MulFOp>(loc, fma.getA(), fma.getB());
  return terms;
}

Value Splitter::withColumns(Value tile) {
  Terms terms = split(tile);
  if (!terms.column)
    return terms.tile;
  Location loc = tile.getLoc();
  if (loop.isDefinedOutsideOfLoop(terms.column)) {
    builder.setInsertionPoint(loop);
    terms.column = builder.create<cta::OpaqueOp>(loc, terms.column);
  }
  builder.setInsertionPointAfterValue(tile);
  Value columns = repeatAlong(builder, loc, type, terms.column, 0);
  terms = {sum(loc, terms.tile, columns, terms.isNegative), nullptr, terms.row};
  known[tile] = terms;
  return terms.tile;
}

/// What a mask makes infinite remains so.
Terms Splitter::splitSelect(arith::SelectOp select) {
  Value tile = select.getTrueValue();
  std::optional<double> hidden = numberOf(select.getFalseValue());
  if (!hidden || !std::isinf(*hidden))
    return {select, nullptr, nullptr};
  Terms terms = split(tile);
  if (!terms.row)
    return {select, nullptr, nullptr};
  Value shown = withColumns(tile);
  builder.setInsertionPointAfter(select);
  return {builder.create<arith::SelectOp>(select.getLoc(), select.getCondition(), shown,
                                          select.getFalseValue()),
          nullptr, terms.row};
}

/// A branch on whether there is a mask gives the tiles of both sides, if they have the same row.
Terms Splitter::splitBranch(scf::IfOp either, unsigned number) {
  branch = either;
  Value one = either.thenYield().getOperand(number), other = either.elseYield().getOperand(number);
  Terms ones = split(one), others = split(other);
  if (!ones.row || ones.row != others.row || !ones.tile || !others.tile)
    return {either.getResult(number), nullptr, nullptr};
  either.thenYield().setOperand(number, withColumns(one));
  either.elseYield().setOperand(number, withColumns(other));
  return {either.getResult(number), nullptr, ones.row};
}

namespace {

/// An exponent x · f - peak.
struct Exponent {
  Operation *op;
  Value factor; ///< A tile; null: 1.
};

/// Whether a tile is the peak of each row.
bool isPeak(Value tile, Value peak) {
  Value row = repeatedAlong(tile, 1);
  return row && row == peak;
}

std::optional<Exponent> exponentOf(Operation *user, Value source, cta::RaiseOp raise) {
  if (auto difference = dyn_cast<arith::SubFOp>(user)) {
    bool isOne = numberOf(raise.getFactor()) == 1;
    return isOne && difference.getLhs() == source && isPeak(difference.getRhs(), raise.getPeak())
               ? std::optional(Exponent{user, nullptr})
               : std::nullopt;
  }
  auto fma = dyn_cast<math::FmaOp>(user);
  if (!fma || fma.getA() != source || fma.getB() == source)
    return std::nullopt;
  auto factor = uniformOf(fma.getB());
  bool isFactor = factor && !factor->how &&
                  (factor->source ? factor->source == raise.getFactor()
                                  : numberOf(fma.getB()) == numberOf(raise.getFactor()));
  Value row = repeatedAlong(fma.getC(), 1);
  auto negated = row ? row.getDefiningOp<arith::NegFOp>() : arith::NegFOp();
  bool matches = isFactor && negated && negated.getOperand() == raise.getPeak();
  return matches ? std::optional(Exponent{user, fma.getB()}) : std::nullopt;
}

struct ShiftPeaks : impl::ShiftPeaksBase<ShiftPeaks> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    SmallVector<cta::RaiseOp> raises;
    kernel.walk([&](cta::RaiseOp raise) { raises.push_back(raise); });
    for (cta::RaiseOp raise : raises)
      shift(raise);
    // Terms that were found for nothing, and what nobody needs any more.
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

private:
  static void shift(cta::RaiseOp raise) {
    auto loop = dyn_cast<scf::ForOp>(raise->getParentOp());
    Value source = raise.getSource();
    if (!loop || raise.getWhole()) // a shifted peak is not whole
      return;
    SmallVector<Exponent> exponents;
    for (Operation *user : source.getUsers()) {
      if (user == raise)
        continue;
      std::optional<Exponent> exponent = exponentOf(user, source, raise);
      if (!exponent)
        return;
      exponents.push_back(*exponent);
    }
    Terms terms = Splitter(loop, source).split();
    if (!terms.row || !terms.tile)
      return;
    explain(raise, kFlag) << "what is added to all of a row is taken from its peak";
    replace(raise, terms, exponents);
  }

  static void replace(cta::RaiseOp raise, const Terms &terms, ArrayRef<Exponent> exponents) {
    OpBuilder builder(raise);
    Location loc = raise.getLoc();
    Value tile = terms.tile;
    auto type = cast<RankedTensorType>(tile.getType());
    Type rows = raise.getBefore().getType();
    Value factors = builder.create<tile::SplatOp>(loc, rows, raise.getFactor());
    Value shift = builder.create<arith::MulFOp>(loc, terms.row, factors);
    Value before = builder.create<arith::SubFOp>(loc, raise.getBefore(), shift);
    auto shifted = cast<cta::RaiseOp>(builder.clone(*raise));
    shifted.getBeforeMutable().set(before);
    shifted.getSourceMutable().set(tile);
    for (const Exponent &exponent : exponents) {
      builder.setInsertionPoint(exponent.op);
      Location at = exponent.op->getLoc();
      Value peak = shifted.getPeak(), shiftedExponent;
      if (exponent.factor)
        shiftedExponent = builder.create<math::FmaOp>(
            at, tile, exponent.factor,
            repeatAlong(builder, at, type, builder.create<arith::NegFOp>(at, peak), 1));
      else
        shiftedExponent =
            builder.create<arith::SubFOp>(at, tile, repeatAlong(builder, at, type, peak, 1));
      exponent.op->replaceAllUsesWith(ValueRange(shiftedExponent));
      exponent.op->erase();
    }
    // A peak that has not risen stays as it is, to the bit: sums refer to it.
    builder.setInsertionPointAfter(shifted);
    Value one = builder.create<arith::ConstantOp>(
        loc, SplatElementsAttr::get(cast<ShapedType>(rows), builder.getF32FloatAttr(1)));
    Value isSame =
        builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, shifted.getShrink(), one);
    Value risen = builder.create<arith::AddFOp>(loc, shifted.getPeak(), shift);
    raise.getPeak().replaceAllUsesWith(
        builder.create<arith::SelectOp>(loc, isSame, raise.getBefore(), risen).getResult());
    raise.getShrink().replaceAllUsesWith(shifted.getShrink());
    raise.erase();
  }
};

} // namespace
} // namespace tilewright::passes
