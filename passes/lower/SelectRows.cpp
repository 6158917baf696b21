// `where(seen[:, None], x, 0)` on the result of a product or loop: nearly all rows stay as they
// are. Such selects are marked, and become a branch that a warp skips if it keeps all of its rows.
#include "passes/analysis/RegisterTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SELECTROWS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// From this many elements of a row in a thread on, a vote and a branch cost less than the selects.
constexpr int64_t kLeastElements = 8;

/// Whether a tile is computed, element by element, from one that is in registers anyway.
bool isInRegisters(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || isa<cta::AwaitOp, cta::MmaOp, scf::ForOp>(op))
    return op;
  return isElementwise(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
           Operation *source = operand.getDefiningOp();
           return operand.getType() == tile.getType() && source &&
                  source->getBlock() == op->getBlock() && isInRegisters(operand);
         });
}

bool workUnderBranch(arith::SelectOp select) {
  auto type = dyn_cast<RankedTensorType>(select.getType());
  Value rows = type && type.getElementType().isF32() ? conditionOfRows(select) : Value();
  if (!rows || !matchPattern(select.getFalseValue(), m_Constant()) ||
      !isInRegisters(select.getTrueValue()))
    return false;
  int64_t elements = cta::layoutOf(type).registers(),
          own = cta::layoutOf(rows.getType()).registers();
  return elements >= kLeastElements * own;
}

struct SelectRows : impl::SelectRowsBase<SelectRows> {
  void runOnOperation() override {
    getOperation().walk([](arith::SelectOp select) {
      if (workUnderBranch(select))
        select->setAttr(kByRowsAttr, UnitAttr::get(select.getContext()));
    });
  }
};

} // namespace
} // namespace tilewright::passes
