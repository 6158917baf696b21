// From one register layout to another. Layouts that agree on lanes and warps only renumber
// registers; all others meet in shared memory, in rows padded by 16 bytes so that neither the
// scattered nor the vector accesses conflict.
#include "passes/expand/Expander.h"

namespace tilewright::passes {

using namespace mlir;

LogicalResult Expander::expandConvert(cta::ConvertOp op) {
  auto fromType = cast<RankedTensorType>(op.getSource().getType());
  auto toType = cast<RankedTensorType>(op.getResult().getType());
  const Layout &from = cta::layoutOf(fromType), &to = cta::layoutOf(toType);
  Value target = declareTile(op.getLoc(), toType);
  tiles[op.getResult()] = target;

  // Truth values travel as bytes.
  Type element = toType.getElementType();
  Type stored = element.isInteger(1) ? builder.getI8Type() : element;
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  int64_t rank = toType.getRank(), columns = toType.getShape().back();
  int64_t pitch = columns * bytes + 16;
  int64_t rows = toType.getNumElements() / columns;
  Value base = scratch(rows * pitch);
  auto addressOf = [&](const Layout &layout, Value index) {
    Value row;
    int64_t weight = 1;
    for (int64_t dim = rank - 2; dim >= 0; --dim) {
      row = add(row, mul(coordinate(layout, dim, index), weight));
      weight *= toType.getDimSize(dim);
    }
    Value column = mul(coordinate(layout, rank - 1, index), bytes);
    return add(add(base, row ? mul(row, pitch) : Value()), column);
  };
  auto vectorFor = [&](const Layout &layout) {
    int64_t pack = packOf(element, layout.registers());
    int64_t vector = 1, held = layout.vector(rank - 1);
    while (vector * 2 * bytes <= 16 && held % (vector * 2) == 0 && pitch % (vector * 2 * bytes) == 0)
      vector *= 2;
    // Without packing, narrow values go one by one.
    bool whole = vector % pack == 0 && (pack > 1 || bytes >= 4);
    return whole ? vector : 1;
  };
  auto single = [&] { return declare(loc, 1, stored); };

  barrier();
  // The source is computed as it is stored, so that its registers are free again soon.
  int64_t wide = vectorFor(from);
  Value replica = firstReplica(from);
  unrolled(from.registers() / wide, [&](Value group) {
    Value first = mul(group, wide);
    Value address = addressOf(from, first);
    auto [array, entry] = std::pair<Value, Value>();
    if (stored == element && (wide > 1 || bytes >= 4)) {
      std::tie(array, entry) = vectorAt(op.getSource(), first, wide);
    } else {
      array = single(), entry = constant(0);
      Value value = this->element(op.getSource(), first);
      if (element.isInteger(1))
        value = builder.create<arith::ExtUIOp>(loc, builder.getI32Type(), value);
      writeElements(array, entry, value);
    }
    builder.create<cuda::StoreSharedOp>(loc, array, entry, address, replica, wide);
  });
  barrier();
  wide = vectorFor(to);
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
