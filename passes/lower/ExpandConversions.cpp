// Conversion between register layouts through shared memory, in rows that swizzle-layout has padded
// so that neither the scattered nor the vector accesses conflict.
#include "passes/analysis/RegisterTiles.h"
#include "passes/analysis/SharedAccesses.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

bool Expander::storeMatrices(RankedTensorType type, const Layout &layout,
                             function_ref<std::pair<Value, Value>(Value, int64_t)> vectorAt,
                             function_ref<Value(const Layout &, Value)> addressOf) {
  auto matrices = storedMatrices(target, type, layout);
  if (!matrices)
    return false;
  int64_t elements = 32 / type.getElementTypeBitWidth() * matrices->count;
  unrolled(matrices->rows.registers(), [&](Value group) {
    Value address = addressOf(matrices->rows, group);
    auto [array, entry] = vectorAt(mul(group, elements), elements);
    builder.create<cuda::StmatrixOp>(loc, array, entry, address, matrices->count,
                                     matrices->transposed);
  });
  return true;
}

Value Expander::addressIn(const Crossing &crossing, const Layout &layout, Value index) {
  Value row;
  int64_t weight = 1, rank = crossing.shape.size();
  for (int64_t dim = rank - 2; dim >= 0; --dim) {
    row = add(row, mul(coordinate(layout, dim, index), weight));
    weight *= crossing.shape[dim];
  }
  Value column = mul(coordinate(layout, rank - 1, index), crossing.elementBytes);
  return add(add(crossing.base, row ? mul(row, crossing.pitch) : Value()), column);
}

LogicalResult Expander::expandConvert(cta::ConvertOp op) {
  auto fromType = cast<RankedTensorType>(op.getSource().getType());
  auto toType = cast<RankedTensorType>(op.getResult().getType());
  const Layout &from = cta::layoutOf(fromType), &to = cta::layoutOf(toType);
  // Booleans are stored as bytes.
  Type element = toType.getElementType();
  Type stored = element.isInteger(1) ? builder.getI8Type() : element;
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  int64_t rank = toType.getRank();
  Crossing crossing{llvm::to_vector(toType.getShape()), bytes, crossingPitch(op), scratch(op)};
  auto addressOf = [&](const Layout &layout, Value index) {
    return addressIn(crossing, layout, index);
  };
  auto vectorFor = [&](const Layout &layout) {
    int64_t pack = packOf(element, layout.registers());
    int64_t vector = sharedVector(layout, rank, bytes);
    // Without packing, narrow values go one by one.
    bool whole = vector % pack == 0 && (pack > 1 || bytes >= 4);
    return whole ? vector : 1;
  };
  auto single = [&] { return declare(loc, 1, stored); };

  barrier();
  // The source is computed while it is stored, so that its registers are free early.
  auto sourceAt = [&](Value first, int64_t vector) -> std::pair<Value, Value> {
    if (stored == element && (vector > 1 || bytes >= 4))
      return vectorAt(op.getSource(), first, vector);
    Value array = single(), value = this->element(op.getSource(), first);
    if (element.isInteger(1))
      value = builder.create<arith::ExtUIOp>(loc, builder.getI32Type(), value);
    writeElements(array, constant(0), value);
    return {array, constant(0)};
  };
  if (!storeMatrices(fromType, from, sourceAt, addressOf)) {
    int64_t wide = vectorFor(from);
    Value replica = firstReplica(from);
    unrolled(from.registers() / wide, [&](Value group) {
      Value first = mul(group, wide);
      Value address = addressOf(from, first);
      auto [array, entry] = sourceAt(first, wide);
      builder.create<cuda::StoreSharedOp>(loc, array, entry, address, replica, wide);
    });
  }
  barrier();
  if (isStoredFromShared(op)) {
    crossings[op.getResult()] = crossing;
    return success();
  }
  Value target = declareTile(op.getLoc(), toType);
  tiles[op.getResult()] = target;
  int64_t wide = vectorFor(to);
  int64_t toPack = cast<cuda::RegsType>(target.getType()).getPack();
  if (wide % toPack == 0 && stored == element) {
    unrolled(to.registers() / wide, [&](Value group) {
      Value first = mul(group, wide);
      builder.create<cuda::LoadSharedOp>(loc, addressOf(to, first), target, div(first, toPack),
                                         wide);
    });
    return success();
  }
  unrolled(to.registers() / toPack, [&](Value entry) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < toPack; ++i) {
      Value one = single();
      Value index = add(mul(entry, toPack), constant(i));
      builder.create<cuda::LoadSharedOp>(loc, addressOf(to, index), one, constant(0), 1);
      Value value = readElement(one, constant(0));
      if (element.isInteger(1))
        value = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, constant(0));
      values.push_back(value);
    }
    writeElements(target, entry, values);
  });
  return success();
}

} // namespace tilewright::passes
