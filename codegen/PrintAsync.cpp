//===- PrintAsync.cpp - barriers, tensor copies, products of a warpgroup ----------------------===//
#include "codegen/Accesses.h"
#include "codegen/MadeFunctions.h"
#include "codegen/Spellings.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

/// Prints `Op` as a call of `function` with all operands in their order.
template <typename Op> static void addCall(Spellings &spellings, StringRef function) {
  spellings.statement<Op>([function](Printer &p, Op op) {
    p.line(p.call(function, op->getOperands()).text + ";");
    return success();
  });
}

/// `function<number>(arrays…);`
static void printCounted(Printer &p, const Twine &function, int64_t number, ValueRange arrays) {
  p.line(p.call(function + "<" + Twine(number) + ">", arrays).text + ";");
}

//===- Barriers -------------------------------------------------------------------------------===//

template <typename Op> static LogicalResult printNamedBarrier(Printer &p, Op op) {
  std::string verb = isa<cuda::NamedBarrierSyncOp>(op.getOperation()) ? "sync" : "arrive";
  p.line("named_barrier_" + verb + "(" + p.operand(op.getId()) + ", " + Twine(op.getThreads()) +
         ");");
  return success();
}

static LogicalResult printInit(Printer &p, cuda::MbarrierInitOp op) {
  p.line("mbarrier_init(" + p.operand(op.getBarrier()) + ", " + Twine(op.getCount()) + ");");
  return success();
}

static LogicalResult printFence(Printer &p, cuda::FenceOp op) {
  p.line("fence_" + cuda::stringifyFenceKind(op.getKind()) + "();");
  return success();
}

static void addBarriers(Spellings &spellings) {
  spellings.statement<cuda::MbarrierInitOp>(printInit);
  addCall<cuda::MbarrierInvalOp>(spellings, "mbarrier_inval");
  addCall<cuda::MbarrierArriveOp>(spellings, "mbarrier_arrive");
  addCall<cuda::MbarrierArriveExpectTxOp>(spellings, "mbarrier_arrive_expect_tx");
  spellings.statement<cuda::MbarrierArriveRemoteOp>(
      [](Printer &p, cuda::MbarrierArriveRemoteOp op) {
        StringRef function =
            op.getRelaxed() ? "mbarrier_arrive_remote_relaxed" : "mbarrier_arrive_remote";
        p.line(p.call(function, op.getBarrier()).text + ";");
        return success();
      });
  spellings.statement<cuda::MbarrierWaitOp>([](Printer &p, cuda::MbarrierWaitOp op) {
    std::string function = op.getBeside() ? "mbarrier_wait_beside" : "mbarrier_wait";
    p.line(p.call(function, op.getOperands()).text + ";");
    return success();
  });
  spellings.statement<cuda::NamedBarrierSyncOp>(printNamedBarrier<cuda::NamedBarrierSyncOp>);
  spellings.statement<cuda::NamedBarrierArriveOp>(printNamedBarrier<cuda::NamedBarrierArriveOp>);
  spellings.statement<cuda::FenceOp>(printFence);
}

//===- Tensor copies --------------------------------------------------------------------------===//

/// `, kEvictLast`, or nothing without a hint.
static std::string policy(std::optional<cuda::CacheHint> hint) {
  if (!hint)
    return "";
  static constexpr StringLiteral names[] = {"kEvictNormal", "kEvictFirst", "kEvictLast"};
  return (", " + names[int(*hint)]).str();
}

/// `map, row, column`
static std::string box(Printer &p, Value map, ValueRange coordinates) {
  std::string text = p.operand(map);
  for (Value coordinate : coordinates)
    text += ", " + p.operand(coordinate);
  return text;
}

static LogicalResult printTmaLoad(Printer &p, cuda::TmaLoadOp op) {
  std::string to = p.operand(op.getShared());
  std::string from = box(p, op.getMap(), op.getCoordinates());
  std::string barrier = p.operand(op.getBarrier());
  p.line(p.made(tmaLoad(op)) + "(" + to + ", " + from + ", " + barrier +
         predicate(p, op.getMulticast()) + policy(op.getHint()) + ");");
  return success();
}

template <typename Op> static void addTmaWrite(Spellings &spellings, MadeFunction (*function)(Op)) {
  spellings.statement<Op>([function](Printer &p, Op op) {
    std::string from = p.operand(op.getShared());
    std::string to = box(p, op.getMap(), op.getCoordinates());
    p.line(p.made(function(op)) + "(" + to + ", " + from + policy(op.getHint()) + ");");
    return success();
  });
}

static LogicalResult printTmaPrefetch(Printer &p, cuda::TmaPrefetchOp op) {
  p.line(p.made(tmaPrefetch(op)) + "(" + box(p, op.getMap(), op.getCoordinates()) +
         policy(op.getHint()) + ");");
  return success();
}

static LogicalResult printBulkWait(Printer &p, cuda::BulkWaitOp op) {
  printCounted(p, op.getRead() ? "bulk_wait_read" : "bulk_wait", op.getPending(), {});
  return success();
}

static void addTma(Spellings &spellings) {
  spellings.statement<cuda::TmaLoadOp>(printTmaLoad);
  addTmaWrite<cuda::TmaStoreOp>(spellings, tmaStore);
  addTmaWrite<cuda::TmaReduceAddOp>(spellings, tmaReduceAdd);
  spellings.statement<cuda::TmaPrefetchOp>(printTmaPrefetch);
  addCall<cuda::TmaPrefetchMapOp>(spellings, "tma_prefetch_map");
  addCall<cuda::BulkCommitOp>(spellings, "bulk_commit");
  spellings.statement<cuda::BulkWaitOp>(printBulkWait);
}

//===- Products of a warpgroup ----------------------------------------------------------------===//

static LogicalResult printWgmma(Printer &p, cuda::WgmmaOp op) {
  std::string d = registers(p, op.getD(), op.getDIndex());
  std::string a =
      op.hasARegisters() ? registers(p, op.getA(), op.getAIndex()) : p.operand(op.getA());
  std::string b = p.operand(op.getB());
  p.line(p.made(wgmma(op)) + "(" + d + ", " + a + ", " + b + predicate(p, op.getAccumulate()) +
         ");");
  return success();
}

/// A statement, so that it stays where a pass has put it.
static LogicalResult printDescriptor(Printer &p, cuda::MatrixDescriptorOp op) {
  std::string name = p.names.fresh(wantedName(op));
  Text made = p.call("matrix_descriptor<" + Twine(op.getLeading()) + ", " + Twine(op.getStride()) +
                         ", " + Twine(op.getSwizzle()) + ">",
                     op.getAddress());
  p.line("const i64 " + name + " = " + made.text + ";");
  p.bind(op, name);
  return success();
}

static void addWgmma(Spellings &spellings) {
  spellings.statement<cuda::MatrixDescriptorOp>(printDescriptor);
  spellings.expression<cuda::AdvanceDescriptorOp>([](Printer &p, cuda::AdvanceDescriptorOp op) {
    return p.call("advance_descriptor", op.getOperands());
  });
  spellings.statement<cuda::WgmmaOp>(printWgmma);
  addCall<cuda::WgmmaFenceOp>(spellings, "wgmma_fence");
  addCall<cuda::WgmmaCommitOp>(spellings, "wgmma_commit");
  addCall<cuda::PinRegistersOp>(spellings, "pin_registers");
  addCall<cuda::SettleOp>(spellings, "settle");
  spellings.statement<cuda::WgmmaWaitOp>([](Printer &p, cuda::WgmmaWaitOp op) {
    printCounted(p, "wgmma_wait", op.getPending(), op.getRegs());
    return success();
  });
}

//===- Clusters and registers -----------------------------------------------------------------===//

template <typename Op> static void addBudget(Spellings &spellings, StringRef function) {
  spellings.statement<Op>([function](Printer &p, Op op) {
    printCounted(p, function, op.getCount(), {});
    return success();
  });
}

static void addCluster(Spellings &spellings) {
  spellings.expression<cuda::ClusterRankOp>(
      [](Printer &, cuda::ClusterRankOp) { return Text{"cluster_rank()"}; });
  spellings.expression<cuda::MapaOp>(
      [](Printer &p, cuda::MapaOp op) { return p.call("cluster_address", op.getOperands()); });
  spellings.statement<cuda::StoreAsyncOp>([](Printer &p, cuda::StoreAsyncOp op) {
    std::string to = p.operand(op.getAddress()), barrier = p.operand(op.getBarrier());
    p.line("store_async_b32(" + to + ", " + registers(p, op.getRegs(), op.getIndex()) + ", " +
           barrier + ");");
    return success();
  });
  spellings.statement<cuda::ClusterArriveOp>([](Printer &p, cuda::ClusterArriveOp op) {
    StringRef function = op.getRelaxed() ? "cluster_arrive_relaxed" : "cluster_arrive";
    p.line(p.call(function, {}).text + ";");
    return success();
  });
  addCall<cuda::ClusterWaitOp>(spellings, "cluster_wait");
  addCall<cuda::GridWaitOp>(spellings, "grid_wait");
  addCall<cuda::GridLaunchDependentsOp>(spellings, "grid_launch_dependents");
  addBudget<cuda::IncreaseRegistersOp>(spellings, "increase_registers");
  addBudget<cuda::DecreaseRegistersOp>(spellings, "decrease_registers");
}

void codegen::addAsync(Spellings &spellings) {
  addBarriers(spellings);
  addTma(spellings);
  addWgmma(spellings);
  addCluster(spellings);
}
