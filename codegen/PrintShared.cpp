#include "codegen/Accesses.h"
#include "codegen/Spellings.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

static Text printAddress(Printer &, cuda::SharedOp op) {
  std::string offset = op.getOffset() ? " + " + std::to_string(op.getOffset()) : "";
  return {"shared_address(shared" + offset + ")"};
}

static LogicalResult printLoad(Printer &p, cuda::LoadSharedOp op) {
  std::string to = registers(p, op.getRegs(), op.getIndex());
  p.line("load_shared_" + accessSuffix(op.getRegs().getType(), op.getCount()) + "(" + to + ", " +
         p.operand(op.getAddress()) + ");");
  return success();
}

static LogicalResult printStore(Printer &p, cuda::StoreSharedOp op) {
  std::string to = p.operand(op.getAddress());
  std::string from = registers(p, op.getRegs(), op.getIndex());
  p.line("store_shared_" + accessSuffix(op.getRegs().getType(), op.getCount()) + "(" + to + ", " +
         from + predicate(p, op.getPredicate()) + ");");
  return success();
}

void codegen::addShared(Spellings &spellings) {
  spellings.expression<cuda::SharedOp>(printAddress).alwaysNamed = true;
  spellings.statement<cuda::LoadSharedOp>(printLoad);
  spellings.statement<cuda::StoreSharedOp>(printStore);
  spellings.statement<cuda::BarrierOp>([](Printer &p, cuda::BarrierOp) {
    p.line("__syncthreads();");
    return success();
  });
}
