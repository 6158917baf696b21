#include "tools/driver/Outline.h"

#include "codegen/Names.h"
#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"

#include "mlir/IR/BuiltinOps.h"

#include <fmt/format.h>
#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

/// The line of an op; 0 if it has none.
static unsigned lineOf(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? place.getLine() : 0;
}

static RoleOutline outlineOf(cta::RoleOp role) {
  RoleOutline result{role.getName().str(), int64_t(role.getWarps()), std::nullopt, lineOf(role),
                     lineOf(role)};
  if (auto registers = role.getRegisters())
    result.registers = int64_t(*registers);
  role.walk([&](Operation *op) { result.lastLine = std::max(result.lastLine, lineOf(op)); });
  return result;
}

const RoleOutline *Outline::roleAt(unsigned line) const {
  for (const RoleOutline &role : roles)
    if (role.firstLine <= line && line <= role.lastLine)
      return &role;
  return nullptr;
}

/// Whether a value differs between programs, or iterations.
static bool differs(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return !isa<func::FuncOp>(value.getParentRegion()->getParentOp());
  return isa<tile::ProgramIdOp, tile::LoadOp>(op) || op->getNumRegions() > 0 ||
         llvm::any_of(op->getOperands(), differs);
}

namespace {
/// What an op loads, into registers or shared memory; without a tile if it is a scalar or nothing.
struct Loaded {
  RankedTensorType tile;
  tile::ViewType view;
  ValueRange indices;
};
} // namespace

static Loaded loadedBy(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {dyn_cast<RankedTensorType>(load.getResult().getType()), load.getView().getType(),
            load.getIndices()};
  if (auto copy = dyn_cast<cta::CopyOp>(op))
    return {copy.getSlot().getType().getTile(), copy.getView().getType(), copy.getIndices()};
  return {};
}

static int64_t loadedBytesOf(func::FuncOp kernel) {
  int64_t bytes = 0, inLoops = 0;
  bool multiplies = false;
  kernel.walk([&](Operation *op) {
    multiplies |= isa<tile::DotOp, cta::MmaOp>(op);
    Loaded loaded = loadedBy(op);
    if (loaded.tile && llvm::any_of(loaded.indices, differs))
      (op->getParentOfType<LoopLikeOpInterface>() ? inLoops : bytes) +=
          loaded.tile.getNumElements() * loaded.tile.getElementTypeBitWidth() / 8;
  });
  // What is loaded in front of a loop is what its first iteration reads.
  return multiplies ? 0 : inLoops ? inLoops : bytes;
}

/// What `hold-rows` makes of a kernel without products: it makes all copies outside loops.
static bool holdsRows(func::FuncOp kernel) {
  auto copies = kernel.getBody().front().getOps<cta::CopyOp>();
  return !copies.empty();
}

/// What `load-ahead` makes of a loop.
static bool loadsAhead(func::FuncOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) {
        // In kernels without products, it makes all copies.
        for (auto copy : loop.getBody()->getOps<cta::CopyOp>())
          if (copy.getPredicate())
            return WalkResult::interrupt();
        for (Value yielded : loop.getYieldedValues())
          if (auto next = yielded.getDefiningOp<scf::IfOp>())
            for (Operation &op : next.getThenRegion().front())
              if (isa<tile::LoadOp>(op))
                return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

static RowLoop rowLoopOf(func::FuncOp kernel) {
  RowLoop result;
  int64_t blocks = cta::clusterOf(kernel).blocks();
  llvm::DenseMap<Operation *, int64_t> reductions; // one behind the other, up to an op
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->getParentOfType<LoopLikeOpInterface>())
      return;
    int64_t &count = reductions[op];
    for (Value operand : op->getOperands())
      count = std::max(count, reductions.lookup(operand.getDefiningOp()));
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      count += reduce.getAxis() > 0;
    else if (auto joint = dyn_cast<cta::JointReduceOp>(op))
      count += joint.getAxis() > 0;
    result.reductions = std::max(result.reductions, count);
    Loaded loaded = loadedBy(op);
    if (!loaded.tile)
      return;
    int64_t columns = loaded.tile.getShape().back(), rows = loaded.tile.getNumElements() / columns;
    result.masksColumns |= columns * blocks != loaded.view.getShape().back();
    if (rows * columns > result.rows * result.columns)
      result.rows = rows, result.columns = columns;
  });
  return result;
}

Outline driver::outlineOf(func::FuncOp kernel, std::string file) {
  Outline result;
  result.file = std::move(file);
  result.loadedBytes = loadedBytesOf(kernel);
  result.loadsAhead = loadsAhead(kernel);
  result.reduces =
      kernel.walk([](tile::ReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
  result.rowLoop = rowLoopOf(kernel);
  result.holdsRows = result.loadedBytes && !result.loadsAhead && holdsRows(kernel);
  for (auto role : kernel.getOps<cta::RoleOp>())
    result.roles.push_back(::outlineOf(role));
  // With the functions beside the kernel, which its roles call.
  kernel->getParentOfType<ModuleOp>().walk<WalkOrder::PreOrder>([&](Operation *op) {
    result.ops.try_emplace(lineOf(op), op->getName().getStringRef().str());
  });
  return result;
}

//===- Its code -------------------------------------------------------------------------------===//

static OpPlace placeOf(Operation *op) {
  OpPlace result{op->getName().getStringRef().str(), ""};
  if (auto place = codegen::sourceOf(op->getLoc()))
    result.place = place->getFilename().str() + ":" + std::to_string(place->getLine());
  return result;
}

void driver::addCode(func::FuncOp kernel, Outline &outline) {
  std::set<SharedOutline> shared; // a role's scratch is another's too
  std::optional<int64_t> given;   // registers, by the last exchange
  OpPlace last;
  int64_t fewest = INT64_MAX;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto place = dyn_cast<cuda::SharedOp>(op)) {
      shared.insert({int64_t(place.getOffset()), int64_t(place.getBytes()),
                     place.getHolds().value_or(cta::nameOf(place.getResult(), "unnamed")).str()});
    } else if (isa<cuda::IncreaseRegistersOp, cuda::DecreaseRegistersOp>(op)) {
      given = op->getAttrOfType<IntegerAttr>("count").getInt();
      last = placeOf(op);
      if (!outline.exchange)
        outline.exchange = last;
    } else if (isa<cuda::WgmmaOp>(op)) {
      if (!outline.product)
        outline.product = placeOf(op);
      if (given && *given < fewest) {
        fewest = *given;
        outline.exchange = last;
      }
    }
  });
  outline.timeline = timelineTable(kernel);
  outline.shared.assign(shared.begin(), shared.end());
}
