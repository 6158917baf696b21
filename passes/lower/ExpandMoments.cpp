// Means, and sums of deviations from them (`cta.moments`). A thread sums deviations from the first
// of its own elements, then takes the mean that it finds. Parts of a row are merged without their
// elements: with means m₁, m₂ of n₁, n₂ elements and d = m₂ - m₁,
//
//   m          = m₁ + d · n₂ / (n₁ + n₂)
//   Σ (x-m)²   = Σ₁ + Σ₂ + d² · n₁ n₂ / (n₁ + n₂)
//   Σ w · (x-m) = Σ₁ + Σ₂ + d · (n₁ Σ₂w - n₂ Σ₁w) / (n₁ + n₂)
//
// (Chan, Golub, LeVeque 1979). Nothing cancels: what is added to a variance is never negative.
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

/// The moments of each thread's own elements.
SmallVector<Value> Expander::momentsInThreads(cta::MomentsOp op) {
  int64_t axis = op.getAxis();
  const Layout &source = cta::layoutOf(op.getSources().front().getType());
  int64_t registers = source.dropDim(axis).registers();
  int64_t elements = source.registers() / registers;
  Type f32 = builder.getF32Type();
  auto get = [&](Value array, Value index) -> Value {
    return builder.create<cuda::GetOp>(loc, f32, array, index);
  };
  auto set = [&](Value array, Value index, Value value) {
    builder.create<cuda::SetOp>(loc, value, array, index);
  };
  auto plus = [&](Value a, Value b) -> Value { return builder.create<arith::AddFOp>(loc, a, b); };
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubFOp>(loc, a, b); };
  auto times = [&](Value a, Value b) -> Value { return builder.create<arith::MulFOp>(loc, a, b); };

  Value first = declare(op.getLoc(), registers, f32), sum = declare(op.getLoc(), registers, f32);
  SmallVector<Value> arrays; // for each tile its sum, and that of its products with deviations
  for (Value tile : op.getSources()) {
    bool isOfMean = arrays.empty();
    arrays.push_back(isOfMean ? sum : declare(tile.getLoc(), registers, f32));
    arrays.push_back(declare(tile.getLoc(), registers, f32));
  }
  Value x = op.getSources().front();
  unrolled(registers, [&](Value index) {
    set(first, index, element(x, firstAlong(source, index, axis)));
    for (Value array : arrays)
      set(array, index, constantOf(f32, -0.0));
  });
  unrolled(source.registers(), [&](Value number) {
    Value index = keepDigits(source, number, [&](int64_t dim) { return dim != axis; });
    Value deviation = minus(element(x, number), get(first, index));
    for (auto [i, tile] : llvm::enumerate(op.getSources())) {
      Value factor = i == 0 ? deviation : element(tile, number);
      set(arrays[2 * i], index, plus(get(arrays[2 * i], index), factor));
      set(arrays[2 * i + 1], index, plus(get(arrays[2 * i + 1], index), times(factor, deviation)));
    }
  });
  // From deviations from the first to those from the mean, which is `shift` = Σ (x - first) / n
  // away.
  unrolled(registers, [&](Value index) {
    Value deviations = get(sum, index);
    Value shift = times(deviations, constantOf(f32, 1.0 / double(elements)));
    for (size_t i = 0; i < arrays.size(); i += 2) {
      Value weights = i == 0 ? deviations : get(arrays[i], index);
      set(arrays[i + 1], index, minus(get(arrays[i + 1], index), times(weights, shift)));
    }
    set(sum, index, plus(get(first, index), shift));
  });
  return arrays;
}

/// Merges the moments of parts of a row, of `elements` elements for each unit of `shares`.
void Expander::mergeMoments(ArrayRef<Value> arrays, ValueRange others, Value index, Shares shares,
                            int64_t elements) {
  Type f32 = builder.getF32Type();
  auto get = [&](size_t i) -> Value {
    return builder.create<cuda::GetOp>(loc, f32, arrays[i], index);
  };
  auto set = [&](size_t i, Value value) {
    builder.create<cuda::SetOp>(loc, value, arrays[i], index);
  };
  auto plus = [&](Value a, Value b) -> Value { return builder.create<arith::AddFOp>(loc, a, b); };
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubFOp>(loc, a, b); };
  auto times = [&](Value a, double factor) -> Value {
    return builder.create<arith::MulFOp>(loc, a, constantOf(f32, factor));
  };
  auto product = [&](Value a, Value b) -> Value {
    return builder.create<arith::MulFOp>(loc, a, b);
  };
  double all = double(shares.own + shares.other), own = double(shares.own) / all,
         other = double(shares.other) / all;
  bool isEven = shares.own == shares.other;
  Value mean = get(0), difference = minus(others[0], mean);
  // Both lanes of an exchange come to the same, to the bit.
  set(0, isEven ? times(plus(mean, others[0]), 0.5) : plus(mean, times(difference, other)));
  Value scaled = times(difference, own * other * all * double(elements));
  set(1, plus(plus(get(1), others[1]), product(scaled, difference)));
  Value half = isEven && arrays.size() > 2 ? times(difference, 0.5) : Value();
  for (size_t i = 2; i < arrays.size(); i += 2) {
    Value weights = get(i);
    Value change = isEven
                       ? product(minus(others[i], weights), half)
                       : product(minus(times(others[i], own), times(weights, other)), difference);
    set(i + 1, plus(plus(get(i + 1), others[i + 1]), change));
    set(i, plus(weights, others[i]));
  }
}

LogicalResult Expander::expandMoments(cta::MomentsOp op) {
  auto type = cast<RankedTensorType>(op.getSources().front().getType());
  const Layout &source = cta::layoutOf(type);
  auto axis = int64_t(op.getAxis());
  Layout reduced = source.dropDim(axis);
  SmallVector<Value> arrays = momentsInThreads(op);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  int64_t elements = source.registers() / reduced.registers();
  reduceAcrossThreads(op, arrays, source, reduced, axis, reduced.registers(), shape,
                      /*inLanes=*/true, [&](ValueRange others, Value index, Shares shares) {
                        mergeMoments(arrays, others, index, shares, elements);
                      });
  for (auto [array, moment] : llvm::zip(arrays, op.getMoments()))
    finishReduction(op.getLoc(), array, type.getElementType(), moment);
  return success();
}

} // namespace tilewright::passes
