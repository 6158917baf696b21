#include "tests/hopper/Program.h"

#include "codegen/PrintCuda.h"
#include "ir/cuda/Cuda.h"
#include "support/Files.h"
#include "tools/driver/Describe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::runtime;

func::FuncOp Program::kernel() const {
  return *const_cast<OwningOpRef<ModuleOp> &>(module)->getOps<func::FuncOp>().begin();
}

Program Program::clone() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const_cast<OwningOpRef<ModuleOp> &>(module)->print(stream, OpPrintingFlags().enableDebugInfo());
  return parse(text);
}

Program hopper::parse(const std::string &ir) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                  cuda::CudaDialect>();
  Program program;
  program.context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  program.module = parseSourceString<ModuleOp>(ir, program.context.get());
  EXPECT_TRUE(program.module) << ir;
  return program;
}

std::vector<std::string> hopper::ctaPrograms() {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(TILEWRIGHT_HOPPER_FOLDER))
    if (entry.path().extension() == ".mlir") {
      std::string file = entry.path().filename().string();
      if (textOf(file).find("cta.target") != std::string::npos)
        files.push_back(std::move(file));
    }
  std::sort(files.begin(), files.end());
  return files;
}

std::string hopper::textOf(const std::string &file) {
  auto text = readFile(std::string(TILEWRIGHT_HOPPER_FOLDER) + "/" + file);
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

std::string hopper::replaced(const std::string &file, llvm::ArrayRef<Replacement> edits) {
  std::string text = textOf(file);
  for (auto [from, to] : edits) {
    size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << file << " has no such text: " << from;
    for (; at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

Program hopper::load(const std::string &file) { return parse(textOf(file)); }

ErrorOr<driver::Lowered> hopper::lowerCta(const std::string &text) {
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr kernel, driver::loadKernelText(text, "program.mlir", ""));
  driver::Attempt attempt;
  attempt.config.target = kernel->target;
  TILEWRIGHT_ASSIGN(driver::Lowered lowered, driver::lowerToCuda(kernel, attempt));
  TILEWRIGHT_ASSIGN(lowered.source.text, lowered.module.cudaText(/*sourceComments=*/false,
                                                                 /*lineDirectives=*/true));
  return lowered;
}

Program hopper::lowerProgram(const std::string &text, KernelSource *source) {
  ErrorOr<driver::Lowered> lowered = lowerCta(text);
  EXPECT_TRUE(lowered) << lowered.error().message;
  if (!lowered)
    return {};
  if (source)
    *source = lowered->source;
  auto [context, module] = std::move(lowered->module).take();
  return {std::move(context), std::move(module)};
}

Program hopper::loadProgram(const std::string &file, KernelSource *source) {
  return lowerProgram(textOf(file), source);
}

KernelSource hopper::programSource(const std::string &file) {
  KernelSource source;
  loadProgram(file, &source);
  return source;
}

KernelSource hopper::describe(const Program &program, std::vector<Arg> args,
                              const std::string &grid) {
  KernelSource source;
  func::FuncOp kernel = program.kernel();
  source.entry = kernel.getName().str();
  source.target = "sm_90";
  source.args = std::move(args);
  source.grid = *Expr::parse(grid);
  Status described = driver::describeCuda(kernel, source);
  EXPECT_TRUE(described) << described.error().message;
  auto text = codegen::printCuda(kernel);
  EXPECT_TRUE(succeeded(text));
  source.text = succeeded(text) ? *text : "";
  return source;
}

TensorArg hopper::tensor(const std::string &name, ElementType type,
                         const std::vector<std::string> &dims) {
  TensorArg arg{.name = name, .type = type, .alignment = 16, .unitInnerStride = true};
  for (const std::string &dim : dims)
    arg.dims.push_back({.name = dim, .size = {}});
  return arg;
}

KernelSource hopper::gemm() {
  return describe(load("gemm.mlir"),
                  {tensor("a", ElementType::BF16, {"M", "K"}),
                   tensor("b", ElementType::BF16, {"N", "K"}),
                   tensor("c", ElementType::BF16, {"M", "N"})},
                  "cdiv(M, 128) * cdiv(N, 128)");
}

KernelSource hopper::splitK() {
  return describe(
      load("split_k.mlir"),
      {tensor("a", ElementType::F16, {"M", "K"}), tensor("b", ElementType::F16, {"K", "N"}),
       tensor("c", ElementType::F32, {"M", "N"}), ScalarArg{"splits", ElementType::I32}},
      "cdiv(M, 256) * cdiv(N, 128) * splits * 2");
}

KernelSource hopper::chain() {
  return describe(
      load("chain.mlir"),
      {tensor("q", ElementType::BF16, {"M", "D"}), tensor("k", ElementType::BF16, {"T", "D"}),
       tensor("v", ElementType::BF16, {"T", "D"}), tensor("d", ElementType::F32, {"M", "D"})},
      "cdiv(M, 128)");
}
