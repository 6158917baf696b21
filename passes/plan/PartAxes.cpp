#include "passes/plan/PartAxes.h"

#include "passes/analysis/Accesses.h"
#include "passes/analysis/KernelFacts.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {

using namespace mlir;

InFlightDiagnostic PartAxes::refuse(Operation *op) {
  return op->emitError() << "stands against " << what << ": ";
}

LogicalResult PartAxes::find() { return failed(findOfEnds()) ? failure() : checkAll(); }

LogicalResult PartAxes::findReduced() {
  mayReduce = true;
  int64_t longest = 0;
  kernel.walk([&](tile::ReduceOp reduce) {
    longest = std::max(longest, reduce.getSource().getType().getDimSize(reduce.getAxis()));
  });
  if (longest % parts || longest <= parts)
    return refuse(kernel) << "it reduces along no axis of a multiple of " << parts;
  for (Value tile : classes.tiles()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
    for (auto [axis, extent] : llvm::enumerate(shape))
      if (extent == longest)
        found.insert(classes.idOf(tile, axis));
  }
  extents.insert(longest / parts);
  return checkAll();
}

LogicalResult PartAxes::checkAll() {
  auto checked = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(checked.wasInterrupted());
}

std::optional<int64_t> PartAxes::of(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t axis = 0; type && classes.contains(value) && axis < type.getRank(); ++axis)
    if (found.contains(classes.idOf(value, axis)))
      return axis;
  return std::nullopt;
}

bool PartAxes::anyIsCut(ValueRange values) {
  return llvm::any_of(values, [&](Value value) { return of(value).has_value(); });
}

bool PartAxes::concern(Operation *op) {
  return anyIsCut(op->getOperands()) || anyIsCut(op->getResults());
}

Type PartAxes::partType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<int64_t> cut = of(value);
  if (!cut)
    return value.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[*cut] /= parts;
  return type.clone(shape);
}

//===- What stands against it -----------------------------------------------------------------===//

LogicalResult PartAxes::findOfEnds() {
  int64_t along = llvm::find(Plan::Parts::kAxes, axis) - std::begin(Plan::Parts::kAxes);
  for (End end : KernelFacts::of(kernel).ends) {
    Value tile = end.tile;
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getRank() <= along)
      continue;
    int64_t extent = type.getDimSize(along);
    if (extent % parts)
      return refuse(end.op) << "it stores " << extent << ", which is no multiple of " << parts;
    found.insert(classes.idOf(tile, along));
    extents.insert(extent / parts);
  }
  if (found.empty())
    return refuse(kernel) << "the kernel stores no tile that has " << axis;
  return success();
}

LogicalResult PartAxes::checkAccess(Operation *op) {
  Access access = *Access::of(op);
  auto valid = op->getAttrOfType<DenseI64ArrayAttr>("valid");
  for (int64_t axis = 0, rank = access.extents.size(); axis < rank; ++axis)
    if (access.isRange(axis) && valid && valid[axis] && of(access.tile()) == access.tileAxis(axis))
      return refuse(op) << "it takes " << valid[axis] << " of them, padded to "
                        << access.extents[axis];
  return success();
}

/// Checks that no op combines elements along the axis.
LogicalResult PartAxes::checkMeeting(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    if (of(dot.getA()) == 1 || of(dot.getB()) == 0)
      return refuse(op) << "it multiplies and adds up along them";
    return success();
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op); reduce && mayReduce)
    return success();
  int64_t along = op->getAttrOfType<IntegerAttr>("axis").getInt();
  if (of(op->getOperand(0)) == along)
    return refuse(op) << "it combines all of them";
  return success();
}

LogicalResult PartAxes::check(Operation *op) {
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    int64_t count = 0;
    for (int64_t axis = 0; type && axis < type.getRank(); ++axis)
      count += found.contains(classes.idOf(result, axis));
    if (count > 1)
      return refuse(op) << "it has them along two axes";
  }
  bool crosses = isa<scf::WhileOp>(op) && llvm::any_of(op->getRegions(), [&](Region &region) {
                   return anyIsCut(region.getArguments());
                 });
  if (crosses)
    return refuse(op) << "a `while` loop that carries them cannot be cut yet";
  if (!concern(op) || isa<scf::ForOp, scf::IfOp, scf::YieldOp, scf::WhileOp>(op))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::DotOp, tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp>(
          [&](Operation *) { return checkMeeting(op); })
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(
          [&](Operation *) { return checkAccess(op); })
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue())
                   ? success()
                   : LogicalResult(refuse(op) << "it is a constant of different numbers");
      })
      .Case<tile::RangeOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp,
            tile::CastOp, tile::AssertOp>([](Operation *) { return success(); })
      .Default([&](Operation *) {
        return op->hasTrait<OpTrait::Elementwise>() && !op->getNumRegions()
                   ? success()
                   : LogicalResult(refuse(op) << "what it does cannot be cut yet");
      });
}

/// Checks that layouts can represent each part.
LogicalResult PartAxes::checkParts() {
  for (const AxisClasses::Class &each : AxisClasses(kernel).padded())
    if (extents.contains(each.extent))
      return refuse(kernel) << "a part has " << each.extent << ", which would be padded to "
                            << each.padded << "; take fewer parts";
  return success();
}

} // namespace tilewright::passes
