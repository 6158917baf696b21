// Reductions across the blocks of a cluster. Each block writes its values to a place of its own in
// the shared memory of every block, and all blocks combine the same values in the same order, so
// that they agree to the bit.
//
// The words come to an mbarrier of the block that reads them (st.async). A barrier of the cluster
// would also wait until everything that was stored before is visible to the GPU.
//
// In a loop there are two barriers with places of their own, used in turns. A block can be one
// exchange ahead of another, since it waits for the words of all blocks. Then it writes to the
// places that nobody reads.
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

/// Makes the barriers of all exchanges. Others send to them when all blocks of the cluster have
/// theirs, for which each waits in front of its first exchange: what it loads before that is under
/// way.
void Expander::makeExchanges() {
  SmallVector<cta::ClusterReduceOp> ops;
  kernel.walk([&](cta::ClusterReduceOp op) { ops.push_back(op); });
  if (ops.empty())
    return;
  rank = builder.create<cuda::ClusterRankOp>(named("rank"), builder.getI32Type());
  for (cta::ClusterReduceOp op : ops)
    exchanges[op] = {sharedOf(op), Value()};
  branch(equal(thread, constant(0)), [&] {
    for (cta::ClusterReduceOp op : ops)
      unrolled(Exchange::of(op).turns, [&](Value turn) {
        Value barrier = add(exchanges[op].start, mul(turn, kBarrierBytes));
        builder.create<cuda::MbarrierInitOp>(loc, barrier, 1);
      });
    builder.create<cuda::FenceOp>(loc, cuda::FenceKind::MbarrierInit);
  });
  builder.create<cuda::ClusterArriveOp>(loc, /*relaxed=*/true);
  firstExchange = kernel.getBody().front().findAncestorOpInBlock(*ops.front());
  for (cta::ClusterReduceOp op : ops) {
    if (Exchange::of(op).turns == 1)
      continue;
    Value count = declare(named("exchanged"), 1, builder.getI32Type());
    builder.create<cuda::SetOp>(loc, constant(0), count, constant(0));
    exchanges[op].count = count;
  }
}

Value Expander::sharedOf(cta::ClusterReduceOp op) {
  auto start = op->getAttrOfType<IntegerAttr>(cta::kScratchAttr);
  return builder.create<cuda::SharedOp>(named("exchange"), start.getInt(), Exchange::of(op).bytes(),
                                        "values of the cluster's blocks");
}

/// Sends the values in `array` to all blocks of the cluster, each replica of them to a block of its
/// own: one thread that sends to all would take longer than the words are under way. `placeOf`
/// gives the place of a value in a block's shared memory.
void Expander::sendToCluster(Value array, const Replicas &replicas, Value barrier,
                             function_ref<Value(Value)> placeOf) {
  int64_t blocks = cluster.blocks(), atOnce = std::min(blocks, replicas.count);
  Value sends = replicas.count > blocks
                    ? Value(builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                                                replicas.number, constant(blocks)))
                    : Value();
  branch(sends, [&] {
    unrolled(blocks / atOnce, [&](Value round) {
      Value peer = add(mul(round, atOnce), replicas.number);
      Value full = builder.create<cuda::MapaOp>(loc, builder.getI32Type(), barrier, peer);
      unrolled(cast<cuda::RegsType>(array.getType()).getSize(), [&](Value index) {
        Value to = builder.create<cuda::MapaOp>(loc, builder.getI32Type(), placeOf(index), peer);
        builder.create<cuda::StoreAsyncOp>(loc, array, index, to, full);
      });
    });
  });
}

LogicalResult Expander::expandClusterReduce(cta::ClusterReduceOp op) {
  Type partType = op.getParts().front().getType(), element = getElementTypeOrSelf(partType);
  auto type = dyn_cast<RankedTensorType>(partType);
  int64_t registers = type ? cta::layoutOf(type).registers() : 1;
  int64_t elements = type ? type.getNumElements() : 1;
  Exchange plan = Exchange::of(op);
  auto [start, counter] = exchanges[op];
  SmallVector<Value> arrays;
  for (Value part : op.getParts()) {
    Value array = declare(op.getLoc(), registers, element);
    if (type)
      writeTile(part, array);
    else
      builder.create<cuda::SetOp>(loc, scalar(part), array, constant(0));
    arrays.push_back(array);
  }

  Value count = counter
                    ? builder.create<cuda::GetOp>(loc, builder.getI32Type(), counter, constant(0))
                    : Value();
  Value turn = count ? rem(count, 2) : constant(0);
  Value parity = count ? rem(div(count, 2), 2) : constant(0);
  Value barrier = add(start, mul(turn, kBarrierBytes));
  Value places = add(add(start, constant(plan.start())), mul(turn, plan.arriving()));
  /// Of a value of a part of block `from`.
  auto placeOf = [&](Value from, size_t part, Value index) {
    Value linear = constant(int64_t(part) * elements);
    int64_t pitch = 1;
    for (int64_t dim = type ? type.getRank() - 1 : -1; dim >= 0; --dim) {
      linear = add(linear, mul(coordinate(cta::layoutOf(type), dim, index), pitch));
      pitch *= type.getDimSize(dim);
    }
    return add(places, mul(add(mul(from, plan.elements), linear), Exchange::kWordBytes));
  };
  Value isFirst = equal(thread, constant(0));
  branch(isFirst, [&] {
    builder.create<cuda::MbarrierArriveExpectTxOp>(loc, barrier, constant(plan.arriving()));
  });
  Replicas replicas = type ? replicasOf(cta::layoutOf(type)) : Replicas{thread, warps * kLanes};
  for (auto [part, array] : llvm::enumerate(arrays))
    sendToCluster(array, replicas, barrier,
                  [&, part = part](Value index) { return placeOf(rank, part, index); });
  builder.create<cuda::MbarrierWaitOp>(loc, barrier, parity);

  auto combine = [&](ValueRange others, Value index, Shares shares) {
    if (op.getMoments())
      return mergeMoments(arrays, others, index, shares, *op.getMoments());
    for (auto [array, other] : llvm::zip(arrays, others)) {
      Value own = builder.create<cuda::GetOp>(loc, element, array, index);
      builder.create<cuda::SetOp>(loc, combineValues(builder, loc, op.getKind(), own, other), array,
                                  index);
    }
  };
  bool inLanes = op.getMoments() && (!type || holdSameRows(cta::layoutOf(type)));
  unrolled(registers, [&](Value index) {
    combineParts(arrays, index, {plan.blocks, 1}, inLanes, combine,
                 [&](size_t part, Value from, Value array, Value place) {
                   builder.create<cuda::LoadSharedOp>(loc, placeOf(from, part, index), array, place,
                                                      1);
                 });
  });
  if (counter)
    builder.create<cuda::SetOp>(loc, add(count, constant(1)), counter, constant(0));
  for (auto [array, whole] : llvm::zip(arrays, op.getWholes()))
    if (type)
      tiles[whole] = array;
    else
      scalars.map(whole, builder.create<cuda::GetOp>(loc, element, array, constant(0)));
  return success();
}

} // namespace tilewright::passes
