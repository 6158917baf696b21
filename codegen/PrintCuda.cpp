#include "codegen/PrintCuda.h"

#include "codegen/Prelude.h"
#include "codegen/Spellings.h"
#include "ir/cuda/Cuda.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

const Spellings &codegen::allSpellings() {
  static const Spellings spellings = [] {
    Spellings all;
    addIntegers(all);
    addFloats(all);
    addConversions(all);
    addControl(all);
    addRegisters(all);
    addGlobal(all);
    addShared(all);
    addWarp(all);
    addAsync(all);
    addTimeline(all);
    return all;
  }();
  return spellings;
}

bool codegen::isPrinted(OperationName name) { return allSpellings().find(name) != nullptr; }

static int64_t intAttr(func::FuncOp kernel, StringRef name) {
  auto attr = kernel->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

/// The name of an argument: its `tile.name`, or the name in its location.
static std::string argumentName(func::FuncOp kernel, BlockArgument argument) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tile.name"))
    return name.str();
  StringRef name = nameOf(argument.getLoc());
  return name.empty() ? "argument" : name.str();
}

/// `const bf16 *__restrict__ q`
static FailureOr<std::string> printParameter(Printer &p, func::FuncOp kernel,
                                             BlockArgument argument) {
  std::string name = p.names.fresh(argumentName(kernel, argument));
  p.bind(argument, name);
  if (isa<cuda::TensorMapType>(argument.getType()))
    return "const __grid_constant__ TensorMap " + name;
  auto ptr = dyn_cast<cuda::PtrType>(argument.getType());
  auto type = typeName(ptr ? ptr.getElementType() : argument.getType());
  if (!type)
    return kernel.emitOpError("has no CUDA spelling: no C++ type holds ") << argument.getType();
  if (!ptr)
    return (*type + " " + name).str();
  bool readOnly = bool(kernel.getArgAttr(argument.getArgNumber(), cuda::kReadOnlyAttr));
  return ((readOnly ? "const " : "") + *type + " *__restrict__ " + name).str();
}

/// Parameters after `open`, filled into lines of 100 characters.
static std::string wrapParameters(const std::string &open, ArrayRef<std::string> parameters) {
  std::string text = open, indent(std::min<size_t>(open.size(), 40), ' ');
  size_t column = open.size();
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (i && column + parameter.size() + 4 > 100) {
      text += ",\n" + indent + parameter;
      column = indent.size() + parameter.size();
    } else {
      text += (i ? ", " : "") + parameter;
      column += (i ? 2 : 0) + parameter.size();
    }
  }
  return text + ")";
}

/// `// tiles = cdiv(M, 64)`: what the launch passes for a number that is no size and no argument.
static void printNumbers(Printer &p, func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments())
    if (auto host =
            kernel.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(), cuda::kParamAttr);
        host && host.getAs<StringAttr>("kind") == "number")
      p.line("// " + p.operand(argument) + " = " + host.getAs<StringAttr>("source").str());
}

static FailureOr<std::string> printSignature(Printer &p, func::FuncOp kernel) {
  SmallVector<std::string> parameters;
  for (BlockArgument argument : kernel.getArguments()) {
    auto parameter = printParameter(p, kernel, argument);
    if (failed(parameter))
      return failure();
    parameters.push_back(*parameter);
  }
  std::string bounds = std::to_string(intAttr(kernel, cuda::kThreadsAttr));
  if (int64_t blocks = intAttr(kernel, cuda::kMinBlocksAttr))
    bounds += ", " + std::to_string(blocks);
  std::string head = "extern \"C\" __global__ void __launch_bounds__(" + bounds + ")\n";
  return head + wrapParameters(kernel.getName().str() + "(", parameters);
}

static bool usesShared(func::FuncOp kernel) {
  return kernel.walk([](cuda::SharedOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

FailureOr<std::string> codegen::printCuda(func::FuncOp kernel, const PrintOptions &options) {
  if (!kernel->hasAttr(cuda::kKernelAttr) || !kernel->hasAttr(cuda::kThreadsAttr))
    return kernel.emitOpError("is no kernel: it lacks `cuda.kernel` or `cuda.threads`");
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("has no CUDA spelling: a kernel has one block");
  Printer printer(options);
  auto signature = printSignature(printer, kernel);
  if (failed(signature))
    return failure();
  printNumbers(printer, kernel);
  printer.openBlock(*signature);
  if (usesShared(kernel))
    printer.line("extern __shared__ __align__(1024) u8 shared[];");
  if (failed(printer.printBody(kernel.getBody().front())))
    return failure();
  printer.closeBlock();
  std::string text = printer.takeOutput();
  std::string head = printer.takeMade();
  head = preludeFor(head + text) + head;
  if (options.statements)
    for (PlacedStatement &statement : *options.statements)
      statement.offset += head.size();
  return head + text;
}
