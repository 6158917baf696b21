// A walk over the scalar part of a kernel. Loop bounds and branches are evaluated if they depend
// only on sizes, program ids and counters.
#include "tools/driver/Estimate.h"

#include "ir/cta/Cta.h"
#include "ir/tile/Tile.h"
#include "tools/driver/LaunchExprs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

namespace {

constexpr int64_t kProgramSamples = 32, kIterationSamples = 16;

class Counter {
public:
  Counter(const llvm::StringMap<runtime::ExprValue> &values) : values(values) {}

  Work countProgram(func::FuncOp kernel, ArrayRef<int64_t> ids) {
    known.clear();
    programIds = ids;
    Work work;
    count(kernel.getBody().front(), 1, work);
    return work;
  }

  std::optional<int64_t> evaluate(Value value);

private:
  void count(Block &block, double times, Work &work);
  void count(Operation &op, double times, Work &work);
  void countLoop(scf::ForOp loop, double times, Work &work);
  /// Sets the steps of the tile whose coordinates are known.
  void setPart(cta::TilesOp tiles);
  /// All tiles, which the blocks divide.
  void countTiles(cta::TilesOp tiles, double times, Work &work);

  const llvm::StringMap<runtime::ExprValue> &values;
  ArrayRef<int64_t> programIds;
  DenseMap<Value, int64_t> known;
};

} // namespace

/// The outcome of a scalar op, by its own folder.
static std::optional<int64_t> fold(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return std::nullopt;
  auto attr = dyn_cast_if_present<IntegerAttr>(dyn_cast_if_present<Attribute>(results[0]));
  return attr ? std::optional<int64_t>(attr.getInt()) : std::nullopt;
}

std::optional<int64_t> Counter::evaluate(Value value) {
  if (!value.getType().isIntOrIndex())
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (std::optional<runtime::Expr> expr = launchExpr(value)) {
    ErrorOr<int64_t> result =
        expr->eval([&](std::string_view name) -> std::optional<runtime::ExprValue> {
          auto entry = values.find({name.data(), name.size()});
          return entry == values.end() ? std::nullopt : std::optional(entry->second);
        });
    if (result)
      return known[value] = *result;
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || !op->getRegions().empty())
    return std::nullopt;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return id.getAxis() < programIds.size() ? std::optional(programIds[id.getAxis()])
                                            : std::nullopt;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> constant = evaluate(operand);
    if (!constant)
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *constant));
  }
  if (operands.empty())
    return std::nullopt;
  std::optional<int64_t> result = fold(op, operands);
  if (result)
    known[value] = *result;
  return result;
}

void Counter::count(Block &block, double times, Work &work) {
  for (Operation &op : block)
    count(op, times, work);
}

void Counter::countLoop(scf::ForOp loop, double times, Work &work) {
  std::optional<int64_t> lower = evaluate(loop.getLowerBound());
  std::optional<int64_t> upper = evaluate(loop.getUpperBound());
  std::optional<int64_t> step = evaluate(loop.getStep());
  if (!lower || !upper || !step || *step <= 0) {
    count(*loop.getBody(), times, work);
    return;
  }
  int64_t trips = std::max<int64_t>(0, (*upper - *lower + *step - 1) / *step);
  int64_t samples = std::min(trips, kIterationSamples);
  for (int64_t sample = 0; sample < samples; ++sample) {
    DenseMap<Value, int64_t> outer = known;
    known[loop.getInductionVar()] = *lower + sample * trips / samples * *step;
    count(*loop.getBody(), times * trips / samples, work);
    known = std::move(outer);
  }
}

/// The coordinates of one of a box of tiles.
static SmallVector<int64_t> coordinates(ArrayRef<int64_t> extents, int64_t number) {
  SmallVector<int64_t> result;
  for (int64_t extent : extents) {
    result.push_back(number % extent);
    number /= extent;
  }
  return result;
}

/// A tile that is split counts as a whole, since its parts add up to it.
void Counter::setPart(cta::TilesOp tiles) {
  if (!tiles.isSplit())
    return;
  for (auto [argument, coordinate] :
       llvm::zip(tiles.getLengths().getArguments(), tiles.getCoordinates()))
    known[argument] = known.lookup(coordinate);
  known[tiles.getPart()[0]] = 0;
  if (std::optional<int64_t> steps = evaluate(tiles.getLength()))
    known[tiles.getPart()[1]] = *steps;
}

void Counter::countTiles(cta::TilesOp tiles, double times, Work &work) {
  SmallVector<int64_t> extents;
  double total = 1;
  for (Value extent : tiles.getExtents()) {
    extents.push_back(std::max<int64_t>(0, evaluate(extent).value_or(1)));
    total *= double(extents.back());
  }
  times /= double(tiles.getTurns().value_or(1));
  int64_t samples = int64_t(std::min(total, double(kProgramSamples)));
  for (int64_t sample = 0; sample < samples; ++sample) {
    DenseMap<Value, int64_t> outer = known;
    auto number = int64_t((double(sample) + 0.5) * total / double(samples));
    for (auto [argument, coordinate] :
         llvm::zip(tiles.getCoordinates(), coordinates(extents, number)))
      known[argument] = coordinate;
    setPart(tiles);
    count(tiles.getBody().front(), times * total / double(samples), work);
    known = std::move(outer);
  }
}

static double elements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}

void Counter::count(Operation &op, double times, Work &work) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return countLoop(loop, times, work);
  if (auto tiles = dyn_cast<cta::TilesOp>(op))
    return countTiles(tiles, times, work);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<int64_t> condition = evaluate(branch.getCondition());
    Region &taken = !condition || *condition ? branch.getThenRegion() : branch.getElseRegion();
    if (!taken.empty())
      count(taken.front(), times, work);
    return;
  }
  for (Region &region : op.getRegions())
    for (Block &block : region)
      count(block, times, work);
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    double depth = cast<RankedTensorType>(dot->getOperand(0).getType()).getShape().back();
    work.dotFlops += times * 2 * depth * elements(dot->getResult(0).getType());
  } else if (auto mma = dyn_cast<cta::MmaOp>(op)) {
    RankedTensorType sum = cta::tileOf(mma.getResult().getType());
    double depth = elements(cta::tileOf(mma.getA().getType())) / double(sum.getShape().front());
    work.dotFlops += times * 2 * depth * elements(sum);
  } else if (isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp>(op)) {
    work.elementOps += times * elements(op.getOperand(0).getType());
  } else if (op.getNumResults() == 1 && isa<RankedTensorType>(op.getResult(0).getType()) &&
             !op.hasTrait<OpTrait::ConstantLike>() &&
             (op.getDialect()->getNamespace() == "arith" ||
              op.getDialect()->getNamespace() == "math")) {
    work.elementOps += times * elements(op.getResult(0).getType());
  }
}

Work driver::estimateWork(func::FuncOp kernel, const llvm::StringMap<runtime::ExprValue> &values) {
  Counter counter(values);
  SmallVector<int64_t> grid;
  kernel.walk([&](tile::GridOp op) {
    for (Value extent : op.getExtents())
      grid.push_back(counter.evaluate(extent).value_or(1));
  });
  if (kernel.walk([](cta::TilesOp) { return WalkResult::interrupt(); }).wasInterrupted())
    grid.assign(1, 1); // the blocks divide the tiles, which are all counted here
  double programs = 1;
  for (int64_t extent : grid)
    programs *= extent;
  Work total;
  total.programs = programs;
  int64_t samples = std::min<double>(programs, kProgramSamples);
  for (int64_t sample = 0; sample < samples; ++sample) {
    int64_t rest = (sample + 0.5) * programs / samples;
    Work work = counter.countProgram(kernel, coordinates(grid, rest));
    total.dotFlops += work.dotFlops * programs / samples;
    total.elementOps += work.elementOps * programs / samples;
  }
  return total;
}
