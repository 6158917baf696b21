#include "tests/codegen/Harness.h"

#include "codegen/PrintCuda.h"
#include "ir/cuda/Cuda.h"
#include "runtime/Nvrtc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;

std::string codegen::kernelIr(const std::string &arguments, const std::string &body, int threads) {
  std::string text = "func.func @kernel(" + arguments +
                     ") attributes {cuda.kernel, cuda.threads = " + std::to_string(threads) +
                     " : i32} {\n%t = cuda.thread_id\n";
  for (int i = 0; i <= 16; ++i)
    text += "%c" + std::to_string(i) + " = arith.constant " + std::to_string(i) + " : i32\n";
  return text + "%p = arith.cmpi slt, %t, %c5 : i32\n" + body + "\nreturn\n}\n";
}

std::string codegen::printed(const std::string &ir) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  cuda::CudaDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(ir, &context);
  EXPECT_TRUE(module) << ir;
  if (!module)
    return "";
  auto text = printCuda(*module->getOps<func::FuncOp>().begin());
  EXPECT_TRUE(succeeded(text)) << ir;
  return succeeded(text) ? *text : "";
}

std::vector<int> codegen::targetsFrom(int first) {
  std::vector<int> targets = {75, 80, 86, 89, 90, 100, 120};
  std::erase_if(targets, [&](int target) { return target < first; });
  return targets;
}

std::vector<int> codegen::targetsWith(Feature feature) {
  std::vector<int> targets = targetsFrom(0);
  std::erase_if(targets, [&](int target) {
    return !findTarget("sm_" + std::to_string(target))->has(feature);
  });
  return targets;
}

std::string codegen::compiled(const std::string &text, int arch) {
  auto nvrtc = runtime::Nvrtc::get();
  EXPECT_TRUE(nvrtc) << nvrtc.error().message;
  if (!nvrtc)
    return "";
  // Generations with TMA have instructions that only the exact one compiles.
  std::string target = "sm_" + std::to_string(arch);
  if (findTarget(target)->has(Tma))
    target += "a";
  auto result =
      (*nvrtc)->compile(text, "kernel.cu", target, {"-Xptxas=-v", "-Xptxas=-warn-spills"});
  EXPECT_TRUE(result) << "sm_" << arch << "\n" << result.error().message << "\n" << text;
  if (!result)
    return "";
  std::string kernel = text.substr(text.find("extern \"C\""));
  EXPECT_EQ(result->log.find("warning"), std::string::npos) << result->log << kernel;
  EXPECT_NE(result->log.find(" 0 bytes stack frame"), std::string::npos) << "sm_" << arch << "\n"
                                                                         << result->log << kernel;
  return result->ptx;
}

void codegen::expectPtx(const std::string &ir, int first, const std::vector<std::string> &wanted) {
  expectPtx(ir, targetsFrom(first), wanted);
}

void codegen::expectPtx(const std::string &ir, const std::vector<int> &targets,
                        const std::vector<std::string> &wanted) {
  std::string text = printed(ir);
  for (int arch : targets) {
    std::string ptx = compiled(text, arch);
    for (const std::string &instruction : wanted)
      EXPECT_NE(ptx.find(instruction), std::string::npos)
          << instruction << " is missing for sm_" << arch << "\n"
          << text;
    if (testing::Test::HasFailure())
      return;
  }
}
