#include "tests/simulator/machine/MachineHarness.h"

#include "ir/cuda/Cuda.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

MachineTest::MachineTest() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<arith::ArithDialect, math::MathDialect, func::FuncDialect, scf::SCFDialect,
                      cuda::CudaDialect>();
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    auto add = [&](Diagnostic &each, StringRef kind) {
      auto place = each.getLocation()->findInstanceOf<FileLineColLoc>();
      std::string line = place ? std::to_string(place.getLine()) : "?";
      messages.push_back(line + ": " + kind.str() + ": " + each.str());
    };
    add(diagnostic, "error");
    for (Diagnostic &note : diagnostic.getNotes())
      add(note, "note");
    return success();
  });
}

Type MachineTest::parseType(StringRef type) { return mlir::parseType(type, &context); }

void MachineTest::load(const KernelParts &parts) {
  // The body begins on line 2.
  loadModule("func.func @kernel(" + parts.arguments +
             ") attributes {cuda.kernel, cuda.threads = " + std::to_string(parts.threads) +
             " : i32, cuda.shared_bytes = " + std::to_string(parts.sharedBytes) + " : i32} {" +
             parts.body + "\nreturn\n}");
}

void MachineTest::loadModule(const std::string &text) {
  module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << testing::PrintToString(messages) << text;
}

func::FuncOp MachineTest::kernel() {
  return *ModuleOp(module.get()).getOps<func::FuncOp>().begin();
}

MachineResult MachineTest::run(ArrayRef<MachineArgument> arguments, int64_t grid,
                               MachineOptions options) {
  messages.clear();
  FailureOr<MachineResult> result = simulate(kernel(), arguments, grid, options);
  EXPECT_TRUE(succeeded(result)) << testing::PrintToString(messages);
  return succeeded(result) ? *result : MachineResult();
}

MachineResult MachineTest::run(const KernelParts &parts, MachineOptions options) {
  load(parts);
  return run({}, 1, options);
}

std::string simulator::kinds(const MachineResult &result) {
  std::string text;
  for (const Finding &finding : result.findings)
    text += (text.empty() ? "" : " ") + nameOf(finding.kind).str();
  return text;
}
