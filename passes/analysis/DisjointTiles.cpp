#include "passes/analysis/DisjointTiles.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewright::passes {

namespace {

/// A symbol that moves: it is from 0 to before `range`, if that is known.
struct Digit {
  Value symbol;
  int64_t stride;
  std::optional<int64_t> range;
};

} // namespace

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue())
                                                       : std::nullopt;
}

static tile::GridOp gridOf(func::FuncOp kernel) {
  auto grids = kernel.getBody().front().getOps<tile::GridOp>();
  return grids.empty() ? tile::GridOp() : *grids.begin();
}

/// Whether a value is the same in all programs and iterations.
static bool isUniform(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return isPure(op) && op->getNumRegions() == 0 && !isa<tile::ProgramIdOp>(op) &&
         llvm::all_of(op->getOperands(), isUniform);
}

/// A form in symbols that move, those of loops counted from 0; nothing if it has others.
static std::optional<SmallVector<Digit>> digitsOf(AffineForm form, func::FuncOp kernel) {
  SmallVector<Digit> digits;
  while (!form.terms.empty()) {
    // Inner counters first: they may start at outer ones, or at a program's coordinate.
    auto isInner = [](auto a, auto b) {
      return a.first.getParentRegion()->isProperAncestor(b.first.getParentRegion());
    };
    auto [symbol, stride] = *std::max_element(form.terms.begin(), form.terms.end(), isInner);
    form = form.without(symbol);
    if (auto id = symbol.getDefiningOp<tile::ProgramIdOp>()) {
      tile::GridOp grid = gridOf(kernel);
      bool known = grid && id.getAxis() < grid.getExtents().size();
      digits.push_back(
          {symbol, stride, known ? constantOf(grid.getExtents()[id.getAxis()]) : std::nullopt});
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(symbol);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (loop && loop.getInductionVar() == symbol) {
      std::optional<int64_t> step = constantOf(loop.getStep());
      if (!step)
        return std::nullopt;
      form = form + AffineForm::of(loop.getLowerBound()) * stride;
      digits.push_back({symbol, stride * *step, std::nullopt});
      continue;
    }
    if (!isUniform(symbol))
      return std::nullopt;
  }
  return digits;
}

/// The symbols that a place along an axis tells; none where two places may be of several.
static SmallVector<Value> toldBy(SmallVector<Digit> digits, int64_t width) {
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::abs(a.stride) < std::abs(b.stride);
  });
  SmallVector<Value> symbols;
  std::optional<int64_t> span = width;
  for (const Digit &digit : digits) {
    if (!span || std::abs(digit.stride) < *span)
      return {};
    span = digit.range ? std::optional(std::abs(digit.stride) * (*digit.range - 1) + *span)
                       : std::nullopt;
    symbols.push_back(digit.symbol);
  }
  return symbols;
}

/// Where an access begins along an axis, and how many elements it takes; nothing of a gather.
static std::optional<AffineForm> beginOf(const Access &access, int64_t axis) {
  if (access.extents[axis] == tile::kGather)
    return std::nullopt;
  return access.start(axis) + AffineForm::of(access.indices[axis]);
}
static int64_t widthOf(const Access &access, int64_t axis) {
  return std::max<int64_t>(1, access.extents[axis]);
}

/// All coordinates of programs that there are more than one of.
static bool tellsPrograms(func::FuncOp kernel, const DenseSet<Value> &told) {
  tile::GridOp grid = gridOf(kernel);
  if (!grid)
    return false;
  for (auto [axis, extent] : llvm::enumerate(grid.getExtents())) {
    bool isTold = constantOf(extent) == 1 || llvm::any_of(told, [&](Value symbol) {
                    auto id = symbol.getDefiningOp<tile::ProgramIdOp>();
                    return id && id.getAxis() == axis;
                  });
    if (!isTold)
      return false;
  }
  return true;
}

Disjoint disjointTiles(const Access &access) {
  auto kernel = access.op->getParentOfType<func::FuncOp>();
  DenseSet<Value> told;
  for (int64_t axis = 0; axis < int64_t(access.extents.size()); ++axis)
    if (std::optional<AffineForm> begin = beginOf(access, axis))
      if (auto digits = digitsOf(*begin, kernel))
        for (Value symbol : toldBy(*digits, widthOf(access, axis)))
          told.insert(symbol);
  Disjoint result{tellsPrograms(kernel, told), true};
  for (Operation *around = access.op->getParentOp(); around != kernel;
       around = around->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(around))
      result.iterations &= told.contains(loop.getInductionVar());
    else if (!isa<scf::IfOp>(around))
      result.iterations = false;
  }
  return result;
}

/// Along axes where both begin at the same place, in all iterations.
bool areApartInPrograms(const Access &a, const Access &b) {
  auto kernel = a.op->getParentOfType<func::FuncOp>();
  DenseSet<Value> told;
  for (int64_t axis = 0; axis < int64_t(a.extents.size()); ++axis) {
    std::optional<AffineForm> begin = beginOf(a, axis), other = beginOf(b, axis);
    auto digits = begin && other && *begin == *other ? digitsOf(*begin, kernel) : std::nullopt;
    auto counts = [](const Digit &digit) { return isa<BlockArgument>(digit.symbol); };
    if (!digits || llvm::any_of(*digits, counts))
      continue;
    int64_t width = std::max(widthOf(a, axis), widthOf(b, axis));
    for (Value symbol : toldBy(std::move(*digits), width))
      told.insert(symbol);
  }
  return tellsPrograms(kernel, told);
}

bool areApart(const Access &a, const Access &b) {
  for (int64_t axis = 0; axis < int64_t(a.extents.size()); ++axis) {
    std::optional<AffineForm> first = beginOf(a, axis), second = beginOf(b, axis);
    bool fixed = first && second &&
                 llvm::all_of(first->terms, [](const auto &term) { return isUniform(term.first); });
    if (!fixed)
      continue;
    AffineForm distance = *second - *first;
    if (distance.isConstant() &&
        (distance.constant >= widthOf(a, axis) || -distance.constant >= widthOf(b, axis)))
      return true;
  }
  return false;
}

} // namespace tilewright::passes
