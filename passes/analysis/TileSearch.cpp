#include "passes/analysis/TileSearch.h"

#include "passes/analysis/SameValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

/// The values that depend only on a tile's coordinates, sizes, arguments and memory that the kernel
/// does not write.
class FromCoordinates {
public:
  FromCoordinates(cta::TilesOp tiles, const DenseSet<Value> &written)
      : tiles(tiles), written(written) {}

  bool contains(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(value);
      return llvm::is_contained(tiles.getCoordinates(), argument) ||
             isa<func::FuncOp>(argument.getOwner()->getParentOp());
    }
    if (!op->getParentOfType<cta::RoleOp>())
      return true;
    auto [known, isNew] = ops.try_emplace(op, false);
    if (!isNew)
      return known->second;
    bool follows = op->getBlock() == &tiles.getBody().front() && computes(op);
    return ops[op] = follows;
  }

  /// The ops that compute `values`, in order.
  SmallVector<Operation *> slice(ArrayRef<Value> values) {
    SetVector<Operation *> needed;
    for (Value value : values)
      collect(value, needed);
    SmallVector<Operation *> ordered;
    for (Operation &op : tiles.getBody().front())
      if (needed.contains(&op))
        ordered.push_back(&op);
    return ordered;
  }

  /// Whether the op loads a number from memory that the kernel does not write.
  bool reads(Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    return load && !isa<RankedTensorType>(load.getResult().getType()) &&
           !written.contains(tile::tensorOf(load.getView()));
  }

private:
  /// An op including its regions.
  bool computes(Operation *outer) {
    return !outer
                ->walk([&](Operation *op) {
                  bool isScalar = llvm::all_of(op->getResultTypes(), [](Type type) {
                    return type.isIntOrFloat() || isa<tile::ViewType>(type);
                  });
                  bool isPlain = isa<scf::SCFDialect>(op->getDialect()) || reads(op) ||
                                 (isMemoryEffectFree(op) && op->getNumRegions() == 0);
                  bool known = llvm::all_of(op->getOperands(), [&](Value operand) {
                    Operation *owner = operand.getParentBlock()->getParentOp();
                    return outer->isAncestor(owner) || contains(operand);
                  });
                  return isScalar && isPlain && known ? WalkResult::advance()
                                                      : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  void collect(Value value, SetVector<Operation *> &needed) {
    Operation *outer = value.getDefiningOp();
    if (!outer || outer->getBlock() != &tiles.getBody().front() || !needed.insert(outer))
      return;
    outer->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!outer->isAncestor(operand.getParentBlock()->getParentOp()))
          collect(operand, needed);
    });
  }

  cta::TilesOp tiles;
  const DenseSet<Value> &written;
  DenseMap<Operation *, bool> ops;
};

/// The memory that a kernel writes.
struct Writes {
  explicit Writes(func::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      for (Value operand : op->getOperands())
        if (effects && isa<tile::ViewType>(operand.getType()) &&
            effects.getEffectOnValue<MemoryEffects::Write>(operand)) {
          tensors.insert(tile::tensorOf(operand));
          ops.push_back(op);
        }
    });
  }

  DenseSet<Value> tensors;
  SmallVector<Operation *> ops;
};

} // namespace

/// The start of a store along an axis of a part, and the length of that axis.
static std::optional<std::pair<Value, Value>> bound(Operation *op, FromCoordinates &coordinates) {
  auto store = dyn_cast<tile::StoreOp>(op);
  auto moved = dyn_cast<cta::StoreOp>(op);
  if (!store && !moved)
    return std::nullopt;
  OperandRange indices = store ? store.getIndices() : moved.getIndices();
  Value view = store ? store.getView() : moved.getView();
  while (auto part = view.getDefiningOp<tile::SubviewOp>()) {
    Value start = indices[part.getAxis()];
    if (start.getType() == part.getSize().getType() && coordinates.contains(start) &&
        coordinates.contains(part.getSize()))
      return std::pair<Value, Value>(start, part.getSize());
    view = part.getView();
  }
  return std::nullopt;
}

/// The first loop before a tile's work that searches memory.
static scf::WhileOp firstSearch(cta::TilesOp tiles, FromCoordinates &coordinates) {
  for (auto loop : tiles.getBody().getOps<scf::WhileOp>())
    if (loop.getNumResults() && coordinates.contains(loop.getResult(0)) &&
        llvm::all_of(loop.getResultTypes(), [](Type type) { return type.isInteger(32); }))
      return loop;
  return {};
}

TileSearch searchOfTiles(func::FuncOp kernel) {
  SmallVector<cta::TilesOp> all;
  for (auto role : kernel.getOps<cta::RoleOp>())
    llvm::append_range(all, role.getBody().getOps<cta::TilesOp>());
  Writes writes(kernel);
  auto tilesOf = [](Operation *op) { return op->getParentOfType<cta::TilesOp>(); };
  TileSearch search;
  for (Operation *op : writes.ops)
    if (!search.tiles && tilesOf(op))
      search.tiles = tilesOf(op);
  if (!search.tiles)
    return {};

  FromCoordinates coordinates(search.tiles, writes.tensors);
  SmallVector<Value> wanted;
  if (scf::WhileOp loop = firstSearch(search.tiles, coordinates))
    for (Value result : loop.getResults()) {
      search.found.push_back(result);
      bool isUsed = llvm::any_of(all, [&](cta::TilesOp tiles) {
        Value own = ownFound(tiles, search).back();
        return own && !own.use_empty();
      });
      if (!isUsed)
        search.found.pop_back();
    }
  for (auto load : search.tiles.getBody().getOps<tile::LoadOp>())
    if (coordinates.reads(load) && load.getType().isInteger(32) &&
        coordinates.contains(load.getResult()))
      search.found.push_back(load.getResult());
  bool canTell = true;
  for (Operation *op : writes.ops) {
    cta::TilesOp tiles = tilesOf(op);
    FromCoordinates own(tiles ? tiles : search.tiles, writes.tensors);
    auto part = tiles ? bound(op, own) : std::nullopt;
    auto isSame = [&](const auto &other) {
      return part && sameValue(part->first, other.first) && sameValue(part->second, other.second);
    };
    if (llvm::any_of(search.stores, isSame))
      continue;
    canTell &= part && tiles == search.tiles;
    if (canTell)
      search.stores.push_back(*part);
  }
  if (!canTell)
    search.stores.clear();
  llvm::append_range(wanted, search.found);
  for (auto [start, size] : search.stores)
    wanted.append({start, size});
  search.ops = coordinates.slice(wanted);
  return search;
}

SmallVector<Value> ownFound(cta::TilesOp tiles, const TileSearch &search) {
  return llvm::map_to_vector(search.found, [&](Value found) {
    auto result = cast<OpResult>(found);
    for (Operation &op : tiles.getBody().front())
      if (op.getName() == result.getOwner()->getName() &&
          op.getNumResults() > result.getResultNumber() &&
          sameValue(op.getResult(result.getResultNumber()), found))
        return Value(op.getResult(result.getResultNumber()));
    return Value();
  });
}

} // namespace tilewright::passes
