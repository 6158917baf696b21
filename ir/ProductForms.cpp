#include "ir/ProductForms.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace tilewright;
using mlir::Type;

static bool isF16(Type type, bool) { return type.isF16(); }
static bool isBF16(Type type, bool) { return type.isBF16(); }
static bool isTF32(Type type, bool tf32) { return type.isF32() && tf32; }
static bool isI8(Type type, bool) { return type.isSignlessInteger(8); }
static bool isF8(Type type, bool) { return type.isFloat8E4M3FN() || type.isFloat8E5M2(); }

static const ProductForm kProductForms[] = {
#define PRODUCT(unit, operands, feature, m, n, k)                                                  \
  {ProductUnit::unit, is##operands, Feature::feature, m, n, k},
#include "ir/ProductForms.def"
};

llvm::ArrayRef<ProductForm> tilewright::productForms() { return kProductForms; }

bool ProductForm::hasShape(llvm::ArrayRef<int64_t> shape) const {
  int64_t columns = shape[1], step = multiplies == isI8 && columns > 24 ? 16 : 8;
  return shape[0] == m && shape[2] == k && columns >= 8 && columns <= n && columns % step == 0;
}
