#include "simulator/machine/Semantics.h"

#include <string_view>

using namespace mlir;

namespace tilewright::simulator::machine {

namespace {
struct ElementRow {
  std::string_view name;
  ElementOp op;
};
constexpr ElementRow kElementRows[] = {
#define FLOAT_1(name, op, expression) {op, ElementOp::name},
#define FLOAT_2 FLOAT_1
#define FLOAT_3 FLOAT_1
#define INTEGER_1 FLOAT_1
#define INTEGER_2 FLOAT_1
#include "simulator/reference/ElementOps.def"
};

constexpr int rowOf(std::string_view name) {
  for (size_t i = 0; i < std::size(kElementRows); ++i)
    if (kElementRows[i].name == name)
      return int(i);
  return -1;
}

template <typename Op> LogicalResult translateElementsOf(Translator &translator, Operation *op) {
  constexpr StringLiteral name = Op::getOperationName();
  constexpr int row = rowOf(std::string_view(name.data(), name.size()));
  static_assert(row >= 0, "an op without a row in ElementOps.def");
  return translateElements(translator, op, kElementRows[row].op);
}

template <typename Op> LogicalResult translateOwn(Translator &translator, Operation *op) {
  return translate(translator, cast<Op>(op));
}
} // namespace

const llvm::StringMap<Semantics> &allSemantics() {
  static const llvm::StringMap<Semantics> rows = {
#define INSTRUCTION(op, pipe) {op::getOperationName(), {translateOwn<op>, Pipe::pipe}},
#define ELEMENTWISE(op, pipe) {op::getOperationName(), {translateElementsOf<op>, Pipe::pipe}},
#include "ir/cuda/Instructions.def"
  };
  return rows;
}

} // namespace tilewright::simulator::machine

bool tilewright::simulator::isSimulated(llvm::StringRef opName) {
  return machine::allSemantics().contains(opName);
}
