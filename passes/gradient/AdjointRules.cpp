#include "passes/gradient/AdjointRules.h"

#include "passes/gradient/Adjoints.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::passes {

template <typename Op> static void apply(Reverse &reverse, Operation *op, Value adjoint) {
  adjointOf(reverse, cast<Op>(op), adjoint);
}

const AdjointRule *findAdjointRule(StringRef opName) {
  static const llvm::StringMap<AdjointRule> rules = {
#define ADJOINT(op) {op::getOperationName(), {AdjointRule::Adjoint, apply<op>, nullptr}},
#define STRUCTURE(op) {op, {AdjointRule::Structure, nullptr, nullptr}},
#define CONSTANT(op, why) {op, {AdjointRule::Constant, nullptr, why}},
#define REFUSED(op, why) {op, {AdjointRule::Refused, nullptr, why}},
#include "passes/gradient/AdjointRules.def"
  };
  auto found = rules.find(opName);
  return found == rules.end() ? nullptr : &found->second;
}

} // namespace tilewright::passes
