#include "passes/Passes.h"

using namespace mlir;

InFlightDiagnostic tilewright::passes::explain(Operation *op, StringRef flag) {
  return mlir::emitRemark(op->getLoc()) << flag << ": ";
}
