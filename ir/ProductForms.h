//===- ProductForms.h - matrix products for which the hardware has instructions ---------------===//
#ifndef TILEWRIGHT_IR_PRODUCTFORMS_H
#define TILEWRIGHT_IR_PRODUCTFORMS_H

#include "ir/Target.h"
#include "mlir/IR/Types.h"

namespace tilewright {

/// What computes a product. Each is an attribute of the `cta` dialect (ir/cta/CtaInstructions.td).
enum class ProductUnit { Fma, MmaSync, Wgmma };

/// A row of ProductForms.def.
struct ProductForm {
  ProductUnit unit;
  bool (*multiplies)(mlir::Type element, bool tf32);
  Feature feature;
  int64_t m, n, k;

  /// Whether an instruction of this form has that shape.
  bool hasShape(llvm::ArrayRef<int64_t> shape) const;
};

/// All rows.
llvm::ArrayRef<ProductForm> productForms();

} // namespace tilewright

#endif
