#include "passes/analysis/KernelFlow.h"
#include "ir/tile/Parts.h"

#include "passes/analysis/Divisibility.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <set>

namespace tilewright::passes {

using namespace mlir;

//===- Axes of the grid -----------------------------------------------------------------------===//

namespace {

/// What a scalar depends on: axes of the grid, and memory.
struct Origin {
  std::set<int64_t> axes;
  bool isRead = false;
  /// Do not count what the address of a load depends on, nor what is compared with a loaded value,
  /// as in a search.
  bool stopsAtMemory = false;
  /// Do not count what the first iteration of a loop depends on.
  bool isOfIteration = false;

  void add(Value value) {
    if (!seen.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return addArgument(argument);
    Operation *op = value.getDefiningOp();
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      axes.insert(int64_t(id.getAxis()));
    isRead |= isa<tile::LoadOp>(op);
    if (stopsAtMemory && (isa<tile::LoadOp>(op) || comparesMemory(op)))
      return;
    for (Value operand : op->getOperands())
      add(operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          for (Value result : block.getTerminator()->getOperands())
            add(result);
  }

private:
  static bool comparesMemory(Operation *op) {
    Origin origin;
    if (isa<arith::CmpIOp>(op))
      for (Value side : op->getOperands())
        origin.add(side);
    return origin.isRead;
  }

  void addArgument(BlockArgument argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar()) { // the iterations, not their number
      if (!isOfIteration)
        add(loop.getLowerBound());
      add(loop.getStep());
    } else if (loop) {
      add(loop.getTiedLoopInit(argument)->get());
      add(loop.getTiedLoopYieldedValue(argument)->get());
    }
  }

  llvm::DenseSet<Value> seen;
};

} // namespace

static void readReuse(Stream &stream, int64_t axes) {
  Origin origin, place, iteration;
  place.stopsAtMemory = true;
  iteration.isOfIteration = true;
  SmallVector<Value> bounds = tile::boundsOfPart(stream.load.getView());
  for (Origin *each : {&origin, &place, &iteration}) {
    for (Value index : stream.load.getIndices())
      each->add(index);
    for (Value bound : bounds)
      each->add(bound);
  }
  stream.apart.assign(iteration.axes.begin(), iteration.axes.end());
  if (bounds.empty())
    for (Value index : stream.load.getIndices()) {
      Origin along;
      along.add(index);
      stream.along.emplace_back(along.axes.begin(), along.axes.end());
    }
  for (int64_t axis = 0; axis < axes; ++axis) {
    if (!origin.axes.contains(axis))
      stream.alike.push_back(axis);
    else if (!place.axes.contains(axis))
      stream.near.push_back(axis);
  }
}

static void readTrips(LoopFact &fact) {
  Origin origin;
  for (Value bound : {fact.loop.getLowerBound(), fact.loop.getUpperBound(), fact.loop.getStep()})
    origin.add(bound);
  fact.axes.assign(origin.axes.begin(), origin.axes.end());
  fact.isRead = origin.isRead;
}

//===- Streams --------------------------------------------------------------------------------===//

/// Whether an op with regions only computes scalars from scalars and memory. A role that needs them
/// can compute them too.
static bool computesScalars(Operation *op) {
  return !op->walk([](Operation *inner) {
              bool isScalar = llvm::all_of(inner->getResultTypes(),
                                           [](Type type) { return type.isIntOrFloat(); });
              bool computes = isa<tile::LoadOp>(inner) || inner->getNumRegions() ||
                              inner->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(inner);
              return isScalar && computes ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

/// Limited by what cut-roles can do.
static std::string whyNotByRole(tile::LoadOp load) {
  if (load.getValid() || load.getFill() || llvm::is_contained(load.getExtents(), tile::kGather))
    return "is padded, filled with a value or gathered";
  SmallVector<Value> open(load.getIndices());
  llvm::append_range(open, tile::boundsOfPart(load.getView()));
  for (Operation *around = load->getParentOp(); !isa<func::FuncOp>(around);
       around = around->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(around);
    if (!loop)
      return "stands in a branch";
    open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  }
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && isa<scf::ForOp>(argument.getOwner()->getParentOp()) &&
        argument.getArgNumber() != 0)
      return "reads where, or as often as, a loop has come to";
    Operation *op = value.getDefiningOp();
    if (op && op->getNumRegions() && !computesScalars(op))
      return "reads where, or as often as, a loop or branch has led to";
    if (op)
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
            open.push_back(operand);
      });
  }
  return "";
}

/// Why TMA cannot move a tile of a part of a tensor. TMA does not stop in front of the part.
static std::string whyNotInPart(Operation *op, Value view, OperandRange indices) {
  SmallVector<int64_t> cut = tile::cutAxes(view);
  if (!cut.empty() && cut.back() + 1 == int64_t(indices.size()))
    return "a part along the innermost axis";
  for (int64_t axis : cut)
    if (!indices[axis].getType().isInteger(32) || !knownNonNegativeAt(op, indices[axis]))
      return "may start before the part that it is of";
  return "";
}

/// Why TMA can neither load nor store a tile of a view.
static std::string whyNotByTma(Operation *op, Value tensor, OperandRange indices,
                               ArrayRef<int64_t> extents) {
  auto view = cast<tile::ViewType>(tensor.getType());
  if (view.getStrided() || extents.empty() || extents.back() == 0)
    return "not along the innermost axis";
  if (view.getAlign() % 16)
    return "rows at multiples of " + std::to_string(view.getAlign()) + " bytes";
  if (std::string why = whyNotInPart(op, tensor, indices); !why.empty())
    return why;
  size_t cut = tile::cutAxes(tensor).size(), axes = extents.size() + cut + (cut > 0);
  return axes > 5 ? std::to_string(axes) + " axes" : "";
}

/// Whether a tile starts at multiples of 16 bytes within rows, as TMA's boxes do.
static bool startsWithChunk(Value tensor, OperandRange indices) {
  Type element = cast<tile::ViewType>(tensor.getType()).getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  return knownDivisor(indices.back()) * bytes % 16 == 0;
}

static std::string whyNotByTma(tile::LoadOp load) {
  if (load.getIndices().empty())
    return "";
  tile::ViewType view = load.getView().getType();
  if (isa<RankedTensorType>(load.getResult().getType()) &&
      !startsWithChunk(load.getView(), load.getIndices()))
    return "starts at no multiple of 16 bytes";
  if (std::string why = whyNotInPart(load, load.getView(), load.getIndices()); !why.empty())
    return why;
  if (!isa<RankedTensorType>(load.getResult().getType()))
    return view.getStrided() || view.getAlign() % 16 ? "not at multiples of 16 bytes" : "";
  return whyNotByTma(load, load.getView(), load.getIndices(), load.getExtents());
}

//===- Chains of products ---------------------------------------------------------------------===//

namespace {

/// Follows an operand of a product back to other products.
class ChainReader {
public:
  ChainReader(const KernelFacts &facts, Chain::Operand operand) : facts(facts), operand(operand) {}

  void read(Value value, bool isTransposed = false, bool isLate = false) {
    if (!seen.insert({value, isTransposed * 2 + isLate}).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
          loop && argument != loop.getInductionVar()) {
        read(loop.getTiedLoopInit(argument)->get(), isTransposed, isLate);
        read(loop.getTiedLoopYieldedValue(argument)->get(), isTransposed, true);
      }
      return;
    }
    Operation *op = value.getDefiningOp();
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return add(dot, isTransposed, isLate);
    if (isa<tile::LoadOp>(op))
      return;
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (isa<scf::ForOp, scf::IfOp>(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty())
          read(region.front().getTerminator()->getOperand(number), isTransposed, isLate);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        read(loop.getInits()[number], isTransposed, isLate);
      return;
    }
    for (Value from : op->getOperands())
      read(from, isTransposed != isa<tile::TransposeOp>(op), isLate);
  }

  SmallVector<Chain> chains;

private:
  void add(tile::DotOp dot, bool isTransposed, bool isLate) {
    auto isIt = [&](auto &product) { return product.dot == dot; };
    std::string from = llvm::find_if(facts.products, isIt)->id;
    auto chain = llvm::find_if(chains, [&](const Chain &each) { return each.from == from; });
    if (chain == chains.end())
      chain = chains.insert(chains.end(), Chain{from, operand, false, true});
    chain->isShared |= operand == Chain::Right || isTransposed;
    chain->isLate &= isLate;
  }

  const KernelFacts &facts;
  Chain::Operand operand;
  llvm::SmallDenseSet<std::pair<Value, int>> seen;
};

} // namespace

static void readChains(ProductFact &product, const KernelFacts &facts) {
  tile::DotOp dot = product.dot;
  ChainReader left(facts, Chain::Left), right(facts, Chain::Right), sum(facts, Chain::Sum);
  left.read(dot.getA());
  right.read(dot.getB());
  if (dot.getAcc().getDefiningOp<tile::DotOp>()) // a factor of the product feeds it in another way
    sum.read(dot.getAcc());
  for (const ChainReader *reader : {&left, &right, &sum})
    llvm::append_range(product.chains, reader->chains);
}

//===- What loops carry -----------------------------------------------------------------------===//

/// The values that an op in a loop computes from the value in `use`; nothing if the value leaves
/// the loop or decides something.
static std::optional<SmallVector<Value>> resultsOf(OpOperand &use) {
  Operation *op = use.getOwner(), *around = op->getParentOp();
  unsigned number = use.getOperandNumber();
  if (isa<scf::YieldOp>(op)) {
    if (!isa<scf::ForOp, scf::IfOp>(around))
      return std::nullopt;
    SmallVector<Value> results = {around->getResult(number)};
    if (auto loop = dyn_cast<scf::ForOp>(around))
      results.push_back(loop.getRegionIterArg(number));
    return results;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && number >= loop.getNumControlOperands())
    return SmallVector<Value>{loop.getTiedLoopRegionIterArg(&use), loop.getTiedLoopResult(&use)};
  if (!isMemoryEffectFree(op) || isa<LoopLikeOpInterface>(op))
    return std::nullopt;
  return SmallVector<Value>(op->getResults());
}

/// Whether anything in a loop except its own update reads a carried value. Sums under a maximum
/// belong to the maximum's update.
static bool isReadInside(scf::ForOp loop, unsigned number, ArrayRef<State> states) {
  SmallVector<Value> open = {loop.getRegionIterArg(number)};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner() != loop.getBody()->getTerminator()) {
        auto results = resultsOf(use);
        if (!results)
          return true;
        llvm::append_range(open, *results);
        continue;
      }
      unsigned to = use.getOperandNumber();
      bool isPeak = states[number] == State::Maximum && states[to] == State::Scaled;
      if (to != number && !isPeak)
        return true;
    }
  }
  return false;
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

static void readCarried(LoopFact &fact, const KernelFacts &facts) {
  scf::ForOp loop = fact.loop;
  SmallVector<State> states = carriedStates(loop);
  for (auto [number, state] : llvm::enumerate(states)) {
    auto dot = loop.getYieldedValues()[number].getDefiningOp<tile::DotOp>();
    auto product = llvm::find_if(facts.products, [&](auto &each) { return each.dot == dot; });
    fact.carried.push_back({state, dot ? product->id : "", isZero(loop.getInits()[number]),
                            isReadInside(loop, number, states)});
  }
  // The order of carried values depends on the source, so sort them.
  llvm::sort(fact.carried, [](const Carried &a, const Carried &b) {
    return std::tie(a.state, a.product, a.isFromZero, a.isRead) <
           std::tie(b.state, b.product, b.isFromZero, b.isRead);
  });
}

//===- Ends -----------------------------------------------------------------------------------===//

static std::string whyNotByTma(const End &end) {
  int64_t rank = cast<RankedTensorType>(end.tile.getType()).getRank();
  auto of = [](auto op) {
    return std::tuple(bool(op.getValid()), op.getIndices(), op.getExtents());
  };
  auto store = dyn_cast<tile::StoreOp>(end.op);
  auto [isPadded, indices, extents] = store ? of(store) : of(cast<tile::AtomicOp>(end.op));
  if (rank != 2)
    return "rank " + std::to_string(rank);
  if (!startsWithChunk(end.view, indices))
    return "starts at no multiple of 16 bytes";
  return isPadded ? "padded" : whyNotByTma(end.op, end.view, indices, extents);
}

void readFlow(KernelFacts &facts, func::FuncOp kernel) {
  auto grids = kernel.getOps<tile::GridOp>();
  int64_t axes = grids.empty() ? 0 : int64_t((*grids.begin()).getExtents().size());
  for (Stream &stream : facts.streams) {
    readReuse(stream, axes);
    stream.notByRole = whyNotByRole(stream.load);
    stream.notByTma = whyNotByTma(stream.load);
  }
  for (ProductFact &product : facts.products)
    readChains(product, facts);
  for (LoopFact &loop : facts.loops) {
    readTrips(loop);
    readCarried(loop, facts);
  }
  for (End &end : facts.ends)
    end.notByTma = whyNotByTma(end);
}

} // namespace tilewright::passes
