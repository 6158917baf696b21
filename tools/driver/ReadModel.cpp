#include "tools/driver/ReadModel.h"

#include "passes/analysis/CarriedState.h"
#include "passes/analysis/EmptyIterations.h"
#include "passes/analysis/LatePeak.h"
#include "passes/analysis/LoopPredicates.h"
#include "passes/analysis/RandomBytes.h"
#include "passes/analysis/StoredRows.h"
#include "passes/plan/ClusterTiles.h"
#include "tools/driver/LaunchExprs.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;
using namespace tilewright::planner;
using passes::KernelFacts;
using runtime::Expr;
using runtime::ExprOp;

//===- Work -----------------------------------------------------------------------------------===//

static double elementsOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? double(tile.getNumElements()) : 0;
}

static bool isApproximate(math::TanhOp tanh) {
  return bitEnumContainsAll(tanh.getFastmath(), arith::FastMathFlags::afn);
}

/// The work of one op, in elements of its tiles.
static Work workOf(Operation &op) {
  // Instructions of erf, tanh and a division, beside the special functions; of a call of Philox,
  // with 7 rounds of 2 wide products and 2 sums; and of a random byte if 16 share a call.
  constexpr double kErf = 20, kTanh = 22, kQuotient = 5, kCall = 42, kRandom = 3;
  if (isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp>(op))
    return {.multiplies = elementsOf(op.getOperand(0))};
  if (op.getNumResults() != 1 || op.hasTrait<OpTrait::ConstantLike>())
    return {};
  double elements = elementsOf(op.getResult(0));
  if (auto random = dyn_cast<tile::RandomBytesOp>(op))
    return {.multiplies = (passes::axisOfCalls(random) ? kRandom : kCall) * elements};
  if (isa<math::ErfOp>(op))
    return {.multiplies = kErf * elements, .specials = elements};
  if (auto tanh = dyn_cast<math::TanhOp>(op); tanh && !isApproximate(tanh))
    return {.multiplies = kTanh * elements, .specials = 2 * elements};
  if (isa<arith::DivFOp>(op))
    return {.multiplies = kQuotient * elements, .specials = elements};
  if (isa<math::FmaOp, math::AbsFOp>(op))
    return {.multiplies = elements};
  if (isa<math::MathDialect>(op.getDialect()))
    return {.multiplies = elements, .specials = elements};
  if (isa<tile::CastOp>(op))
    return {.conversions = elements};
  if (isa<arith::ArithDialect>(op.getDialect()))
    return {.multiplies = elements};
  return {};
}

/// The work of a block without its loops. Code in branches, such as masks, rarely runs.
static Work workOf(Block &block) {
  Work work;
  for (Operation &op : block)
    work += workOf(op);
  return work;
}

//===- Loops ----------------------------------------------------------------------------------===//

namespace {

class ModelReader {
public:
  ModelReader(func::FuncOp kernel, const KernelFacts &facts)
      : kernel(kernel), facts(facts), dims(kernel) {}

  ErrorOr<KernelModel> read() {
    model.kernel = kernel.getName().str();
    // The front end asks every kernel for a grid.
    tile::GridOp grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
    for (Value extent : grid.getExtents()) {
      std::optional<Expr> expr = launchExpr(extent);
      if (!expr)
        return Error{"the grid of kernel `" + model.kernel + "` is no expression over sizes"};
      model.grid.push_back(*expr);
    }
    for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis)
      if (passes::decidesRow(kernel, axis))
        model.apart.push_back(axis);
    model.work = workOf(kernel.getBody().front());
    for (const passes::LoopFact &loop : facts.loops)
      readLoop(loop);
    for (const passes::ProductFact &product : facts.products)
      readProduct(product);
    for (const passes::Stream &stream : facts.streams)
      readStream(stream);
    for (LoopModel &loop : model.loops)
      loop.isIdleBehind &= !isReadAtTwoPaces(int(&loop - model.loops.data()));
    for (const passes::ComputedTile &tile : facts.tiles)
      readComputed(tile);
    for (const passes::End &end : facts.ends)
      readEnd(end);
    return std::move(model);
  }

private:
  /// The number of the innermost loop around an op.
  int loopOf(Operation *op) const {
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      for (auto [number, fact] : llvm::enumerate(facts.loops))
        if (fact.loop == loop)
          return int(number);
    return kNoLoop;
  }

  /// The end of a loop, if only the host does not know whether it runs: `n if … else start`.
  static Value endIfAny(scf::ForOp loop) {
    auto select = loop.getUpperBound().getDefiningOp<arith::SelectOp>();
    return select && select.getFalseValue() == loop.getLowerBound() ? select.getTrueValue()
                                                                    : Value();
  }

  static std::optional<Expr> exprOf(const passes::AffineForm &form) {
    Expr sum = Expr::constant(form.constant);
    for (auto [term, coefficient] : form.terms) {
      std::optional<Expr> each = tileExpr(term);
      if (!each)
        return std::nullopt;
      sum = Expr::binary(ExprOp::Add, sum,
                         Expr::binary(ExprOp::Mul, *each, Expr::constant(coefficient)));
    }
    return sum;
  }

  static void readTrips(scf::ForOp loop, LoopModel &made) {
    std::optional<Expr> lower = tileExpr(loop.getLowerBound()),
                        upper = tileExpr(loop.getUpperBound()), step = tileExpr(loop.getStep());
    if (Value end = endIfAny(loop); end && !upper) {
      upper = tileExpr(end);
      made.mayBeIdle = upper.has_value();
    }
    made.isStartRead = !lower && upper;
    if (!lower || !upper || !step)
      return;
    Expr length = Expr::binary(ExprOp::Sub, *upper, *lower);
    made.trips = Expr::binary(ExprOp::CeilDiv, length, *step);
  }

  void readLoop(const passes::LoopFact &fact) {
    scf::ForOp loop = fact.loop;
    LoopModel made{.id = fact.id, .around = loopOf(loop), .trips = {}, .axes = {}};
    readTrips(loop, made);
    made.axes.assign(fact.axes.begin(), fact.axes.end());
    made.work = workOf(*loop.getBody());
    made.carriesSums = !fact.carried.empty() && llvm::all_of(fact.carried, [](auto &carried) {
      return carried.state == passes::State::Sum && carried.isFromZero && !carried.isRead;
    });
    made.anyOrder = llvm::none_of(
        fact.carried, [](auto &carried) { return passes::dependsOnOrder(carried.state); });
    constexpr double kLag = 8; // powers of two; every type of weights but e4m3 has room for it
    if (auto peak = passes::findLatePeak(loop, kLag).peak) {
      made.latePeak = kLag;
      made.hasNoPeak = passes::boundOfExponents(loop, *peak).has_value();
    } else if (auto peak = passes::findLatePeak(loop, 0).peak; peak && peak->whole) {
      made.latePeak = 0;
      for (const passes::Rescaling &each : passes::rescalingsOf(loop, *peak)) // seldom done
        made.work.multiplies -=
            double(cast<RankedTensorType>(each.tile.getType()).getNumElements());
    }
    for (auto [state, carried] : llvm::zip(passes::carriedStates(loop), loop.getRegionIterArgs()))
      if (auto tile = dyn_cast<RankedTensorType>(carried.getType()))
        made.lateSums |= state == passes::State::Scaled && tile.getRank() == 1;
    made.hasMasks = !loop.getOps<scf::IfOp>().empty();
    made.masksLast = loop->hasAttr(passes::kMasksLastAttr);
    made.byRows = loop->hasAttr(passes::kIdleMasksAttr);
    auto reaches = passes::Reaches::of(loop);
    made.endsByRows = made.byRows && reaches.end && reaches.end->isByRow();
    made.beginsByRows =
        loop->hasAttr(passes::kIdleBeforeAttr) && reaches.begin && reaches.begin->isByRow();
    if (auto stored = passes::storedRows(loop, dims)) {
      made.rows = stored->rows;
      for (auto [term, coefficient] : stored->first.terms)
        if (auto id = term.getDefiningOp<tile::ProgramIdOp>()) {
          made.firstRow = exprOf(stored->first);
          made.rowAxis = int64_t(id.getAxis());
        }
    }
    made.isIdleBehind = loop->hasAttr(passes::kIdleBehindAttr);
    model.loops.push_back(std::move(made));
  }

  void readProduct(const passes::ProductFact &fact) {
    tile::DotOp dot = fact.dot;
    auto sum = cast<RankedTensorType>(dot.getResult().getType());
    auto left = cast<RankedTensorType>(dot.getA().getType());
    ProductModel made{.id = fact.id,
                      .m = sum.getDimSize(0),
                      .n = sum.getDimSize(1),
                      .k = left.getDimSize(1),
                      .bits = int64_t(left.getElementTypeBitWidth()),
                      .loop = loopOf(dot),
                      .onTensorCores = !left.getElementType().isF32() || dot.getTf32()};
    if (made.loop != kNoLoop)
      for (const passes::Carried &carried : facts.loops[made.loop].carried)
        made.isPending |= carried.product == fact.id && carried.state == passes::State::Sum &&
                          carried.isFromZero && !carried.isRead;
    made.isAdded = made.loop != kNoLoop && !made.isPending && isAdded(fact);
    const passes::ComputedTile *computed = facts.computedOf(dot.getA());
    made.isShared = !computed || llvm::any_of(computed->uses, [&](auto &use) {
      return use.dot == dot && isShared(use);
    });
    if (const passes::ComputedTile *right = facts.computedOf(dot.getB()))
      made.isSharedSwapped = llvm::any_of(right->uses, isSharedSwapped);
    for (const passes::Chain &chain : fact.chains)
      if (chain.operand == passes::Chain::Left && !chain.isLate)
        made.behind.push_back(chain.from);
    model.products.push_back(std::move(made));
  }

  /// Whether a product that starts from zero leads only to sums of its loop.
  bool isAdded(const passes::ProductFact &fact) const {
    tile::DotOp dot = fact.dot;
    bool isRead = llvm::any_of(facts.products, [&](const passes::ProductFact &other) {
      return llvm::any_of(other.chains, [&](auto &chain) { return chain.from == fact.id; });
    });
    return !isRead && model.loops[loopOf(dot)].carriesSums &&
           (matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero()));
  }

  void readStream(const passes::Stream &fact) {
    StreamModel made;
    made.id = fact.id;
    tile::LoadOp load = fact.load;
    made.loop = loopOf(load);
    Type type = fact.load->getResult(0).getType();
    if (auto tile = dyn_cast<RankedTensorType>(type))
      made.shape = tile.getShape();
    made.elementBytes = getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
    made.alike.assign(fact.alike.begin(), fact.alike.end());
    made.near.assign(fact.near.begin(), fact.near.end());
    made.apart.assign(fact.apart.begin(), fact.apart.end());
    if (auto argument = dyn_cast<BlockArgument>(load.getView()); argument && !fact.along.empty()) {
      made.tensor =
          kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr).str();
      made.along = fact.along;
    }
    made.isOperand = llvm::any_of(facts.products, [&](passes::ProductFact product) {
      return facts.streamOf(product.dot.getA()) == &fact ||
             facts.streamOf(product.dot.getB()) == &fact;
    });
    made.pitch = pitchOf(load.getView(), load.getExtents());
    readRowsLeft(load, made);
    made.notByRole = fact.notByRole;
    made.notByTma = fact.notByTma;
    model.streams.push_back(std::move(made));
  }

  /// Whether a loop has a stream that a product behind others reads, and one that is not: its slots
  /// go back with either of them, so none can run an iteration behind.
  bool isReadAtTwoPaces(int loop) const {
    return llvm::any_of(facts.streams, [&](const passes::Stream &stream) {
      bool isReadNow = false, isReadLate = false;
      for (auto [fact, product] : llvm::zip(facts.products, model.products)) {
        tile::DotOp dot = fact.dot;
        if (product.loop == loop &&
            (facts.streamOf(dot.getA()) == &stream || facts.streamOf(dot.getB()) == &stream))
          (product.behind.empty() ? isReadNow : isReadLate) = true;
      }
      return isReadNow && isReadLate;
    });
  }

  /// The axis of a view along which a tile has rows: the first that it has more than one place of.
  static int64_t rowsOf(ArrayRef<int64_t> extents) {
    return llvm::find_if(extents, [](int64_t extent) { return extent != 0; }) - extents.begin();
  }

  static void readRowsLeft(tile::LoadOp load, StreamModel &made) {
    auto rows = size_t(rowsOf(load.getExtents()));
    if (rows >= made.along.size() || made.along[rows].size() != 1)
      return;
    std::optional<Expr> size = sizeExpr(load.getView(), int64_t(rows)),
                        first = tileExpr(load.getIndices()[rows]);
    if (!size || !first)
      return;
    made.rowsLeft = Expr::binary(ExprOp::Sub, *size, *first);
    made.rowAxis = made.along[rows].front();
  }

  /// From one row of a tile to the next: the product of the sizes of the axes after its first.
  static std::optional<Expr> pitchOf(Value view, ArrayRef<int64_t> extents) {
    int64_t rank = int64_t(extents.size());
    int64_t first = rowsOf(extents);
    std::optional<Expr> pitch = Expr::constant(1);
    for (int64_t axis = first + 1; pitch && axis < rank; ++axis) {
      std::optional<Expr> size = sizeExpr(view, axis);
      pitch = size ? std::optional(Expr::binary(ExprOp::Mul, *pitch, *size)) : std::nullopt;
    }
    return pitch;
  }

  static bool is16Bit(tile::DotOp dot) {
    return dot.getA().getType().getElementTypeBitWidth() == 16;
  }
  /// Whether a product reads a tile from shared memory rather than registers. From registers it
  /// takes a left operand that is not transposed, of 16 bits, or of 8 bits beside a right operand
  /// that is put in the order of accumulators.
  bool isShared(const passes::ComputedTile::Use &use) const {
    tile::DotOp dot = use.dot;
    const passes::ComputedTile *right = facts.computedOf(dot.getB());
    bool isOrdered = right && right->isTurned && right->uses.size() == 1 &&
                     dot.getA().getType().getElementTypeBitWidth() == 8;
    return use.isShared() || !(is16Bit(dot) || isOrdered);
  }
  /// The same for a swapped product.
  static bool isSharedSwapped(const passes::ComputedTile::Use &use) {
    return !use.isRight || !use.isTransposed || !is16Bit(use.dot);
  }

  /// Marks the streams of the loop from which a tile is computed.
  void readSources(const passes::ComputedTile &fact, const ComputedModel &made) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    getBackwardSlice(fact.tile, &slice, options);
    for (auto [stream, read] : llvm::zip(facts.streams, model.streams))
      if (read.loop == made.loop && !read.isOperand && slice.contains(stream.load))
        read.into = made.id;
  }

  void readComputed(const passes::ComputedTile &fact) {
    auto tile = cast<RankedTensorType>(fact.tile.getType());
    ComputedModel made{.id = fact.id,
                       .bytes = tile.getNumElements() * tile.getElementTypeBitWidth() / 8,
                       .loop = loopOf(fact.uses.front().dot),
                       .isTurned = fact.isTurned};
    for (const passes::ComputedTile::Use &use : fact.uses) {
      made.isShared |= isShared(use);
      made.isSharedSwapped |= isSharedSwapped(use);
      auto product = llvm::find_if(facts.products, [&](auto &each) { return each.dot == use.dot; });
      auto operand = use.isRight ? passes::Chain::Right : passes::Chain::Left;
      made.isFromProduct |=
          llvm::any_of(product->chains, [&](auto &chain) { return chain.operand == operand; });
    }
    if (!made.isFromProduct)
      readSources(fact, made);
    model.computed.push_back(std::move(made));
  }

  void readEnd(const passes::End &fact) {
    auto tile = cast<RankedTensorType>(fact.tile.getType());
    auto view = cast<tile::ViewType>(fact.view.getType());
    EndModel made{.id = fact.id,
                  .rows = tile.getDimSize(0),
                  .columns = tile.getRank() == 2 ? tile.getDimSize(1) : 1,
                  .elementBytes = int64_t(view.getElementType().getIntOrFloatBitWidth() / 8),
                  .loop = loopOf(fact.op),
                  .notByTma = fact.notByTma};
    if (auto store = dyn_cast<tile::StoreOp>(fact.op))
      made.pitch = pitchOf(store.getView(), store.getExtents());
    model.ends.push_back(std::move(made));
  }

  func::FuncOp kernel;
  const KernelFacts &facts;
  passes::Dims dims;
  KernelModel model;
};

} // namespace

ErrorOr<KernelModel> driver::readModel(func::FuncOp kernel, const KernelFacts &facts) {
  return ModelReader(kernel, facts).read();
}
