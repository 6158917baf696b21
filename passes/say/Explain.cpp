#include "passes/say/Explain.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tilewright::passes;

Explanation::Explanation(Location place, StringRef pass) : place(place), pass(pass), stream(text) {
  stream << pass << ": ";
}

Explanation &Explanation::with(StringRef key, int64_t value) {
  values.set(key, Builder(place.getContext()).getI64IntegerAttr(value));
  return *this;
}

Explanation &Explanation::with(StringRef key, ArrayRef<int64_t> list) {
  values.set(key, Builder(place.getContext()).getI64ArrayAttr(list));
  return *this;
}

Explanation &Explanation::with(StringRef key, StringRef value) {
  values.set(key, StringAttr::get(place.getContext(), value));
  return *this;
}

Explanation &Explanation::rather(StringRef than, StringRef why) {
  alternatives.push_back(Builder(place.getContext()).getStrArrayAttr({than, why}));
  return *this;
}

Explanation::~Explanation() {
  Builder builder(place.getContext());
  NamedAttrList facts;
  facts.set(kPassKey, builder.getStringAttr(pass));
  facts.set(kValuesKey, values.getDictionary(builder.getContext()));
  facts.set(kAlternativesKey, builder.getArrayAttr(alternatives));
  mlir::emitRemark(
      FusedLoc::get({place}, facts.getDictionary(builder.getContext()), builder.getContext()))
      << text;
}

Explanation tilewright::passes::explain(Operation *op, StringRef pass) {
  return {op->getLoc(), pass};
}
