//===- PrintControl.cpp - loops and branches --------------------------------------------------===//
//
// The values that a region yields are assigned, at its end, to variables declared above it.
//
//===------------------------------------------------------------------------------------------===//
#include "codegen/Spellings.h"
#include "ir/cuda/Cuda.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

/// Declares a variable for each value that a loop carries.
static SmallVector<std::string> declareCarried(Printer &p, ValueRange arguments, ValueRange inits) {
  SmallVector<std::string> variables;
  for (auto [argument, init] : llvm::zip(arguments, inits))
    variables.push_back(p.declare(argument, p.operand(init), /*constant=*/false));
  return variables;
}

static SmallVector<std::string> declareResults(Printer &p, ValueRange results) {
  SmallVector<std::string> variables;
  for (Value result : results) {
    variables.push_back(p.declare(result, "", /*constant=*/false));
    p.bind(result, variables.back());
  }
  return variables;
}

static LogicalResult printFor(Printer &p, scf::ForOp op) {
  p.settle(op, /*loop=*/true);
  for (Value bound : {op.getLowerBound(), op.getUpperBound(), op.getStep()})
    p.nameUnstable(bound);
  p.locate(op.getLoc());
  auto variables = declareCarried(p, op.getRegionIterArgs(), op.getInitArgs());
  for (auto [result, variable] : llvm::zip(op.getResults(), variables))
    p.bind(result, variable);

  p.names.pushScope();
  StringRef name = nameOf(op.getInductionVar().getLoc());
  std::string i = name.empty() ? p.names.freshCounter() : p.names.fresh(name);
  p.bind(op.getInductionVar(), i);
  std::string step =
      matchPattern(op.getStep(), m_One()) ? "++" + i : i + " += " + p.operand(op.getStep());
  std::string lower = p.operand(op.getLowerBound());
  std::string upper = p.operand(op.getUpperBound(), Binding::Shift);
  std::string factor;
  if (auto partly = op->getAttrOfType<IntegerAttr>(cuda::kUnrollAttr))
    factor = " " + std::to_string(partly.getInt());
  else if (!op->hasAttr(cuda::kUnrollAttr))
    factor = " 1";
  p.line("#pragma unroll" + factor);
  p.openBlock("for (" + *typeName(op.getInductionVar().getType()) + " " + i + " = " + lower + "; " +
              i + " < " + upper + "; " + step + ")");
  if (failed(p.printBody(*op.getBody())))
    return failure();
  p.assign(variables, op.getYieldedValues());
  p.closeBlock();
  p.names.popScope();
  return success();
}

static LogicalResult printIf(Printer &p, scf::IfOp op) {
  p.settle(op, /*loop=*/false);
  p.locate(op.getLoc());
  auto variables = declareResults(p, op.getResults());
  p.openBlock("if (" + p.operand(op.getCondition()) + ")");
  if (failed(p.printBody(*op.thenBlock())))
    return failure();
  p.assign(variables, op.thenYield().getOperands());
  if (op.elseBlock()) {
    p.nextBlock("} else {");
    if (failed(p.printBody(*op.elseBlock())))
      return failure();
    p.assign(variables, op.elseYield().getOperands());
  }
  p.closeBlock();
  return success();
}

/// The variables of the values that the first region of a while loop passes on. A value that the
/// loop carries has its own variable. The others are declared, and listed in `assigned`.
static void bindForwarded(Printer &p, scf::WhileOp op, ArrayRef<std::string> carried,
                          SmallVector<std::string> &assigned, SmallVector<Value> &values) {
  for (auto [i, value] : llvm::enumerate(op.getConditionOp().getArgs())) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool own = argument && argument.getOwner() == op.getBeforeBody();
    std::string variable = own ? carried[argument.getArgNumber()]
                               : p.declare(op.getAfterArguments()[i], "", /*constant=*/false);
    if (!own) {
      assigned.push_back(variable);
      values.push_back(value);
    }
    p.bind(op.getAfterArguments()[i], variable, /*variable=*/true);
    p.bind(op.getResult(i), variable);
  }
}

static LogicalResult printWhile(Printer &p, scf::WhileOp op) {
  p.settle(op, /*loop=*/true);
  p.locate(op.getLoc());
  auto carried = declareCarried(p, op.getBeforeArguments(), op.getInits());
  SmallVector<std::string> assigned;
  SmallVector<Value> values;
  bindForwarded(p, op, carried, assigned, values);

  size_t before = p.position();
  p.openBlock("while (true)");
  size_t inside = p.position();
  if (failed(p.printBody(*op.getBeforeBody())))
    return failure();
  p.assign(assigned, values);
  Value condition = op.getConditionOp().getCondition();
  if (p.position() == inside) {
    p.closeEmptyBlock(before);
    p.openBlock("while (" + p.operand(condition) + ")");
  } else {
    p.line("if (!" + p.operand(condition, Binding::Unary) + ")");
    p.line("  break;");
  }
  if (failed(p.printBody(*op.getAfterBody())))
    return failure();
  p.assign(carried, op.getYieldOp().getOperands());
  p.closeBlock();
  return success();
}

/// Terminators are printed by the op around them.
template <typename Op> static void addTerminator(Spellings &spellings) {
  spellings.statement<Op>([](Printer &, Op) { return success(); });
}

void codegen::addControl(Spellings &spellings) {
  spellings.statement<scf::ForOp>(printFor);
  spellings.statement<scf::IfOp>(printIf);
  spellings.statement<scf::WhileOp>(printWhile);
  addTerminator<scf::YieldOp>(spellings);
  addTerminator<scf::ConditionOp>(spellings);
  addTerminator<func::ReturnOp>(spellings);
}
