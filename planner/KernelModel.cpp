#include "planner/KernelModel.h"

#include "ir/PaddedRows.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilewright::planner;

Work &Work::operator+=(const Work &other) {
  multiplies += other.multiplies;
  specials += other.specials;
  conversions += other.conversions;
  return *this;
}

Work Work::operator*(double times) const {
  return {multiplies * times, specials * times, conversions * times};
}

int64_t StreamModel::bytes() const {
  constexpr int64_t kLeast = 16; // the least that TMA copies
  if (shape.empty())
    return kLeast;
  int64_t row = shape.back() * elementBytes;
  int64_t bytes = isOperand && shape.size() > 1 ? paddedRowBytes(row) : row;
  for (int64_t extent : llvm::ArrayRef(shape).drop_back())
    bytes *= extent;
  return std::max(kLeast, bytes);
}

const ProductModel *KernelModel::product(llvm::StringRef id) const {
  auto found = llvm::find_if(products, [&](const ProductModel &each) { return each.id == id; });
  return found == products.end() ? nullptr : &*found;
}
