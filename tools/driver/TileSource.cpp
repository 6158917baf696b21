// The statements of a `tile` program, as text of the language.
#include "tools/driver/TileSource.h"

#include "tools/driver/SourcePrinter.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

//===- Statements -----------------------------------------------------------------------------===//

void SourcePrinter::assign(ValueRange to, ArrayRef<std::string> values) {
  SmallVector<std::string> left, right;
  for (auto [target, value] : llvm::zip(to, values))
    if (nameOf(target) != value) {
      left.push_back(nameOf(target));
      right.push_back(value);
    }
  if (!left.empty())
    line(fmt::format("{} = {}", fmt::join(left, ", "), fmt::join(right, ", ")));
}

void SourcePrinter::loop(scf::ForOp loop) {
  SmallVector<std::string> values;
  for (Value init : loop.getInitArgs())
    values.push_back(explicitly(init).text);
  assign(loop.getRegionIterArgs(), values);
  for (auto [result, carried] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    names[result] = nameOf(carried);
  std::string range = words(loop.getUpperBound()).text;
  bool byOne = matchPattern(loop.getStep(), m_One());
  if (!byOne || !matchPattern(loop.getLowerBound(), m_Zero()))
    range = words(loop.getLowerBound()).text + ", " + range;
  if (!byOne)
    range += ", " + words(loop.getStep()).text;
  line(fmt::format("for {} in range({}):", nameOf(loop.getInductionVar()), range));
  ++indent;
  block(*loop.getBody());
  values.clear();
  for (Value yielded : loop.getYieldedValues())
    values.push_back(explicitly(yielded).text);
  assign(loop.getRegionIterArgs(), values);
  --indent;
}

void SourcePrinter::branch(scf::IfOp branch) {
  std::string condition = words(branch.getCondition()).text;
  for (Region *region : branch.getRegions()) {
    if (region->empty())
      continue;
    line(region->getRegionNumber() == 0 ? "if " + condition + ":" : "else:");
    ++indent;
    size_t before = body.size();
    block(region->front());
    SmallVector<std::string> values;
    for (Value yielded : region->front().getTerminator()->getOperands())
      values.push_back(explicitly(yielded).text);
    assign(branch.getResults(), values);
    if (body.size() == before)
      line("pass");
    --indent;
  }
}

void SourcePrinter::statement(Operation *op) {
  if (auto grid = dyn_cast<tile::GridOp>(op)) {
    SmallVector<std::string> extents, ids(grid.getExtents().size());
    for (Value extent : grid.getExtents())
      extents.push_back(words(extent).text);
    kernel.walk([&](tile::ProgramIdOp id) {
      std::string &name = ids[id.getAxis()];
      name = name.empty() ? nameOf(id) : name;
      names[id] = name;
    });
    for (std::string &name : ids)
      name = name.empty() ? fresh("p") : name;
    return line(fmt::format("{} = grid({})", fmt::join(ids, ", "), fmt::join(extents, ", ")));
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    std::string text = access(load.getView(), load.getIndices(), load.getExtents());
    if (load.getFill())
      text = fmt::format("load({}, fill={})", text, words(load.getFill()).text);
    return line(nameOf(load) + " = " + text);
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    std::string value = explicitly(store.getValue()).text;
    return line(access(store.getView(), store.getIndices(), store.getExtents()) + " = " + value);
  }
  if (auto atomic = dyn_cast<tile::AtomicOp>(op)) {
    std::string value = explicitly(atomic.getValue()).text;
    return line(fmt::format("atomic_{}({}, {})", tile::stringifyAtomicKind(atomic.getKind()).str(),
                            access(atomic.getView(), atomic.getIndices(), atomic.getExtents()),
                            value));
  }
  if (auto claim = dyn_cast<tile::AssertOp>(op)) {
    bool isTile = isa<RankedTensorType>(claim.getCondition().getType());
    std::string condition = explicitly(claim.getCondition()).text;
    return line(fmt::format("assert {}, \"{}\"", isTile ? "all(" + condition + ")" : condition,
                            claim.getMessage().str()));
  }
  if (auto part = dyn_cast<tile::SubviewOp>(op)) {
    SmallVector<std::string> parts(part.getType().getRank(), ":");
    Words start = words(part.getStart()), size = words(part.getSize());
    parts[part.getAxis()] = fmt::format("{}:{} + {}", start.in(Words::Sum), start.in(Words::Sum),
                                        size.in(Words::Product));
    return line(
        fmt::format("{} = {}[{}]", nameOf(part), nameOf(part.getView()), fmt::join(parts, ", ")));
  }
  if (auto repeated = dyn_cast<scf::ForOp>(op))
    return loop(repeated);
  if (auto chosen = dyn_cast<scf::IfOp>(op))
    return branch(chosen);
  if (op->getNumResults() != 1)
    return refuse(op, "has no statement in the language");
  bool isBlock = extentOfBlock(op->getResult(0)) > 0;
  std::string value = isBlock ? blockOf(op->getResult(0)) : compute(op).text;
  line(nameOf(op->getResult(0)) + " = " + value);
}

void SourcePrinter::block(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!isa<tile::ProgramIdOp>(op) && !isInline(&op))
      statement(&op);
}

//===- The file -------------------------------------------------------------------------------===//

std::string SourcePrinter::parameter(BlockArgument argument) {
  auto view = dyn_cast<tile::ViewType>(argument.getType());
  std::string name =
      kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr).str();
  used.insert(name);
  names[argument] = name;
  if (!view)
    return name + ": " + dtypeOf(argument.getType());
  std::string type = "Tensor[" + dtypeOf(view.getElementType());
  for (int64_t axis = 0; axis < view.getRank(); ++axis) {
    std::string size = nameOfSize(argument, axis);
    type += ", " + size;
    if (view.isDynamicDim(axis) && !llvm::is_contained(dims, size))
      dims.push_back(size);
  }
  return name + ": " + type + "]";
}

void SourcePrinter::header() {
  SmallVector<std::string> parameters;
  for (BlockArgument argument : kernel.getArguments())
    parameters.push_back(parameter(argument));
  head = "from tilewright import *\n\n";
  if (!dims.empty())
    head += fmt::format("{} = dims(\"{}\")\n\n\n", fmt::join(dims, ", "), fmt::join(dims, " "));
  for (const std::string &dim : dims)
    used.insert(dim);
  std::string start = "def " + kernel.getName().str() + "(";
  head += "@kernel\n" + start +
          fmt::format("{}", fmt::join(parameters, ",\n" + std::string(start.size(), ' '))) + "):\n";
}

ErrorOr<std::string> SourcePrinter::print() {
  header();
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), tile::kStartsAtZeroAttr))
      line(fmt::format("start_at_zero({})", names[argument]));
  block(kernel.getBody().front());
  if (error)
    return *error;
  return head + body;
}

ErrorOr<std::string> driver::tileSource(func::FuncOp kernel) {
  PassManager manager(kernel.getContext(), func::FuncOp::getOperationName());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  [[maybe_unused]] LogicalResult folded = manager.run(kernel);
  assert(succeeded(folded) && "folding refuses no kernel");
  return SourcePrinter(kernel).print();
}
