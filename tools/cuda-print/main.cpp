// Prints the kernels of a file in the cuda dialect as CUDA C++.
#include "codegen/PrintCuda.h"
#include "ir/cuda/Cuda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;
namespace cl = llvm::cl;

static cl::opt<std::string> inputName(cl::Positional, cl::init("-"), cl::desc("<file>"));
static cl::opt<bool> splitInput("split-input-file", cl::desc("print each part of the file alone"));
static cl::opt<bool> verifyDiagnostics("verify-diagnostics", cl::desc("check expected messages"));
static cl::opt<bool> lineDirectives("line-directives", cl::desc("put #line before statements"));
static cl::opt<bool> sourceComments("source-comments", cl::desc("show the source's lines"));

/// Line `wanted` of a file, or nothing.
static std::string sourceLine(StringRef file, unsigned wanted) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return "";
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/false); !line.is_at_eof(); ++line)
    if (line.line_number() == wanted)
      return line->str();
  return "";
}

static LogicalResult printModule(ModuleOp module, raw_ostream &output) {
  codegen::PrintOptions options;
  options.lineDirectives = lineDirectives;
  if (sourceComments)
    options.sourceLine = sourceLine;
  for (auto kernel : module.getOps<func::FuncOp>()) {
    auto text = codegen::printCuda(kernel, options);
    if (failed(text))
      return failure();
    output << *text;
  }
  return success();
}

/// Parses and prints one buffer; `-verify-diagnostics` checks its messages instead of showing them.
static LogicalResult printBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer, raw_ostream &output) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  cuda::CudaDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  auto run = [&] {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
    return module ? printModule(*module, output) : failure();
  };
  if (!verifyDiagnostics) {
    SourceMgrDiagnosticHandler handler(*sources, &context);
    return run();
  }
  SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
  (void)run();
  return handler.verify();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Prints kernels of the cuda dialect as CUDA C++\n");
  std::string message;
  auto input = openInputFile(inputName, &message);
  if (!input) {
    llvm::errs() << message << "\n";
    return 1;
  }
  auto print = [](std::unique_ptr<llvm::MemoryBuffer> buffer, raw_ostream &output) {
    return printBuffer(std::move(buffer), output);
  };
  return failed(splitAndProcessBuffer(std::move(input), print, llvm::outs(),
                                      splitInput ? kDefaultSplitMarker : ""));
}
