// Masks compare positions. An interval for each integer and each tile of integers tells which
// comparisons hold everywhere, nowhere, or in places. This is exact where each position occurs once
// in a comparison.
#include "tools/inspector/Masks.h"

#include "ir/tile/Tile.h"
#include "tools/driver/LaunchExprs.h"
#include "tools/inspector/Structure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::inspector;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr int64_t kMostRows = 256, kMostColumns = 256;

struct Interval {
  int64_t low, high;
  bool isOne() const { return low == high; }
};
using Known = std::optional<Interval>;

class Intervals {
public:
  explicit Intervals(const planner::Launch &launch) : launch(launch) {}

  Known of(Value value);
  std::optional<int64_t> number(Value value) {
    Known known = of(value);
    return known && known->isOne() ? std::optional(known->low) : std::nullopt;
  }
  void set(Value value, int64_t number) { values[value] = Interval{number, number}; }
  void clear() { values.clear(); }

  SmallVector<int64_t> ids; ///< Of the program.

private:
  Known compute(Value value);
  Known constant(Attribute value);
  Known binary(Operation *op);
  static Known compare(arith::CmpIPredicate predicate, Interval a, Interval b);

  const planner::Launch &launch;
  DenseMap<Value, Known> values;
};

} // namespace

Known Intervals::of(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isIntOrIndex())
    return std::nullopt;
  if (auto found = values.find(value); found != values.end())
    return found->second;
  Known result = compute(value);
  values[value] = result;
  return result;
}

Known Intervals::constant(Attribute value) {
  if (auto dense = dyn_cast<DenseIntElementsAttr>(value); dense && dense.isSplat())
    value = dense.getSplatValue<Attribute>();
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number)
    return std::nullopt;
  int64_t raw = number.getType().isInteger(1) ? number.getValue().getZExtValue() : number.getInt();
  return Interval{raw, raw};
}

Known Intervals::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa<ShapedType>(value.getType()))
    if (std::optional<runtime::Expr> expr = driver::launchExpr(value))
      if (ErrorOr<int64_t> result = expr->eval(launch.valueOf))
        return Interval{*result, *result};
  if (!op)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](arith::ConstantOp constantOp) { return constant(constantOp.getValue()); })
      .Case([&](tile::ProgramIdOp id) -> Known {
        int64_t axis = id.getAxis();
        return axis < int64_t(ids.size()) ? Known(Interval{ids[axis], ids[axis]}) : std::nullopt;
      })
      .Case([&](tile::RangeOp range) -> Known {
        std::optional<int64_t> start = number(range.getStart());
        return start ? Known(Interval{*start, *start + range.getType().getNumElements() - 1})
                     : std::nullopt;
      })
      .Case<tile::ExpandDimsOp, tile::BroadcastOp, tile::SplatOp, tile::TransposeOp, arith::ExtSIOp,
            arith::IndexCastOp>([&](Operation *same) { return of(same->getOperand(0)); })
      .Default([&](Operation *other) { return binary(other); });
}

Known Intervals::compare(arith::CmpIPredicate predicate, Interval a, Interval b) {
  using P = arith::CmpIPredicate;
  bool always = false, never = false;
  switch (predicate) {
  case P::slt:
    always = a.high < b.low, never = a.low >= b.high;
    break;
  case P::sle:
    always = a.high <= b.low, never = a.low > b.high;
    break;
  case P::sgt:
    return compare(P::slt, b, a);
  case P::sge:
    return compare(P::sle, b, a);
  case P::eq:
  case P::ne:
    always = a.isOne() && b.isOne() && a.low == b.low;
    never = a.high < b.low || b.high < a.low;
    if (predicate == P::ne)
      std::swap(always, never);
    break;
  default:
    return std::nullopt;
  }
  return Interval{always, !never};
}

Known Intervals::binary(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Known left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  Interval a = *left, b = *right;
  // Both ends are enough for what grows or falls along each operand.
  auto ends = [&](auto compute) {
    int64_t all[] = {compute(a.low, b.low), compute(a.low, b.high), compute(a.high, b.low),
                     compute(a.high, b.high)};
    return Known(Interval{*llvm::min_element(all), *llvm::max_element(all)});
  };
  bool isTruth = getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](arith::AddIOp) { return Known(Interval{a.low + b.low, a.high + b.high}); })
      .Case([&](arith::SubIOp) { return Known(Interval{a.low - b.high, a.high - b.low}); })
      .Case([&](arith::MulIOp) { return ends([](int64_t x, int64_t y) { return x * y; }); })
      .Case([&](arith::DivSIOp) -> Known {
        return b.low > 0 ? ends([](int64_t x, int64_t y) { return x / y; }) : std::nullopt;
      })
      .Case([&](arith::CeilDivSIOp) -> Known {
        auto divide = [](int64_t x, int64_t y) { return x >= 0 ? (x + y - 1) / y : x / y; };
        return b.low > 0 ? ends(divide) : std::nullopt;
      })
      .Case([&](arith::RemSIOp) -> Known {
        return a.isOne() && b.isOne() && b.low ? Known(Interval{a.low % b.low, a.low % b.low})
                                               : std::nullopt;
      })
      .Case<arith::MinSIOp>(
          [&](auto) { return Known(Interval{std::min(a.low, b.low), std::min(a.high, b.high)}); })
      .Case<arith::MaxSIOp>(
          [&](auto) { return Known(Interval{std::max(a.low, b.low), std::max(a.high, b.high)}); })
      .Case([&](arith::AndIOp) {
        return isTruth ? Known(Interval{a.low & b.low, a.high & b.high}) : std::nullopt;
      })
      .Case([&](arith::OrIOp) {
        return isTruth ? Known(Interval{a.low | b.low, a.high | b.high}) : std::nullopt;
      })
      .Case([&](arith::XOrIOp) -> Known {
        return isTruth && b.isOne() ? Known(b.low ? Interval{1 - a.high, 1 - a.low} : a)
                                    : std::nullopt;
      })
      .Case([&](arith::CmpIOp compareOp) { return compare(compareOp.getPredicate(), a, b); })
      .Default([](Operation *) { return Known(); });
}

//===- The classes ----------------------------------------------------------------------------===//

static char classOf(Interval mask) { return mask.low ? '2' : mask.high ? '1' : '0'; }

/// The iterations of a loop; nothing if their number is not known.
static std::optional<int64_t> trips(scf::ForOp loop, Intervals &intervals) {
  auto low = intervals.number(loop.getLowerBound()), high = intervals.number(loop.getUpperBound()),
       step = intervals.number(loop.getStep());
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, (*high - *low + *step - 1) / *step);
}

/// The classes of a mask along one axis of the grid; nothing if they are not known.
static std::optional<std::string> classesAlong(Value mask, scf::ForOp loop, size_t axis,
                                               int64_t rows, int64_t columns, size_t rank,
                                               Intervals &intervals) {
  std::string classes;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      intervals.clear();
      intervals.ids.assign(rank, 0);
      intervals.ids[axis] = row;
      auto low = intervals.number(loop.getLowerBound()), step = intervals.number(loop.getStep());
      if (!low || !step)
        return std::nullopt;
      intervals.set(loop.getInductionVar(), *low + column * *step);
      Known found = intervals.of(mask);
      if (!found)
        return std::nullopt;
      classes += classOf(*found);
    }
  return classes;
}

static bool differAlongRows(const std::string &classes, int64_t columns) {
  return llvm::StringRef(classes).drop_front(columns) !=
         llvm::StringRef(classes).drop_back(columns);
}

static std::optional<Object> maskJson(Value mask, scf::ForOp loop, ArrayRef<int64_t> extents,
                                      Intervals &intervals) {
  intervals.clear();
  intervals.ids.assign(extents.size(), 0);
  std::optional<int64_t> count = trips(loop, intervals);
  if (!count || !*count)
    return std::nullopt;
  int64_t columns = std::min(*count, kMostColumns);
  std::optional<Object> result;
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    int64_t rows = std::min(extent, kMostRows);
    auto classes = classesAlong(mask, loop, axis, rows, columns, extents.size(), intervals);
    if (!classes)
      return std::nullopt;
    bool differs = differAlongRows(*classes, columns);
    if (!result || differs)
      result = Object{{"axis", int64_t(axis)},
                      {"extents", Array{rows, columns}},
                      {"of", Array{extent, *count}},
                      {"classes", *classes}};
    if (differs)
      break;
  }
  return result;
}

Array inspector::masksJson(func::FuncOp kernel, llvm::StringRef file,
                           const planner::Launch &launch) {
  Intervals intervals(launch);
  SmallVector<int64_t> extents;
  kernel.walk([&](tile::GridOp grid) {
    for (Value extent : grid.getExtents())
      extents.push_back(intervals.number(extent).value_or(0));
  });
  Array result;
  if (extents.empty() || llvm::is_contained(extents, 0))
    return result;
  kernel.walk([&](arith::SelectOp select) {
    auto loop = select->getParentOfType<scf::ForOp>();
    if (!loop || !isa<RankedTensorType>(select.getCondition().getType()))
      return;
    if (auto mask = maskJson(select.getCondition(), loop, extents, intervals)) {
      (*mask)["line"] = lineOf(select.getLoc(), file);
      (*mask)["loop"] = lineOf(loop.getLoc(), file);
      result.push_back(std::move(*mask));
    }
  });
  return result;
}
