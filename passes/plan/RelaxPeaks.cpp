// Lets the running maximum of an online softmax lag. Its update becomes `cta.raise`, which also
// gives the factor for earlier sums. `cta.rescale` applies the factor, and skips rows whose factor
// is 1.
#include "passes/Passes.h"
#include "passes/analysis/LatePeak.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_RELAXPEAKS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Whether a value is 2^(before - peak).
bool isShrink(Operation *op, Value before, Value peak) {
  auto power = dyn_cast<math::Exp2Op>(op);
  auto difference = power ? power.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  return difference && difference.getLhs() == before && difference.getRhs() == peak;
}

/// The rows that are broadcast along the columns of a tile; null for other tiles.
Value rowsOf(Value tile) {
  auto broadcast = tile.getDefiningOp<tile::BroadcastOp>();
  auto column =
      broadcast ? broadcast.getSource().getDefiningOp<tile::ExpandDimsOp>() : tile::ExpandDimsOp();
  return column && column.getAxis() == 1 ? Value(column.getSource()) : Value();
}

struct RelaxPeaks : impl::RelaxPeaksBase<RelaxPeaks> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const Plan::Loop *entry = entryOf(plan, loop); entry && entry->latePeak)
        if (failed(relax(loop, *entry)))
          return signalPassFailure();
  }

private:
  static LogicalResult relax(scf::ForOp loop, const Plan::Loop &entry) {
    LatePeakSearch found = findLatePeak(loop, *entry.latePeak);
    if (!found.peak) {
      InFlightDiagnostic error = (found.where ? found.where : loop.getOperation())->emitError();
      return error << "stands against a late peak of loop `" << entry.id << "`: it "
                   << found.reason;
    }
    LatePeak peak = *found.peak;
    OpBuilder builder(peak.update);
    Location loc = peak.update.getLoc();
    Value factor = peak.factor ? peak.factor->source : Value();
    if (!factor) {
      TypedAttr number = peak.factor ? peak.factor->number : builder.getF32FloatAttr(1);
      factor = builder.create<arith::ConstantOp>(loc, number);
    }
    auto raise = builder.create<cta::RaiseOp>(loc, peak.carried.getType(), peak.carried.getType(),
                                              peak.carried, peak.source, factor,
                                              builder.getF32FloatAttr(*entry.latePeak));
    peak.update.replaceAllUsesWith(raise.getPeak());
    eraseUnused(peak.update);
    SmallVector<Operation *> shrinks;
    for (Operation &op : *loop.getBody())
      if (isShrink(&op, peak.carried, raise.getPeak()))
        shrinks.push_back(&op);
    for (Operation *op : shrinks) {
      op->replaceAllUsesWith(ValueRange(raise.getShrink()));
      eraseUnused(op);
    }
    rescale(loop, raise.getShrink());
    return success();
  }

  /// Replaces multiplications of tiles by the factor of their rows.
  static void rescale(scf::ForOp loop, Value shrink) {
    for (auto product : llvm::make_early_inc_range(loop.getOps<arith::MulFOp>()))
      for (auto [tile, factors] :
           {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
        if (rowsOf(factors) == shrink) {
          OpBuilder builder(product);
          product.replaceAllUsesWith(
              builder.create<cta::RescaleOp>(product.getLoc(), tile, shrink).getResult());
          product.erase();
          break;
        }
  }
};

} // namespace
} // namespace tilewright::passes
