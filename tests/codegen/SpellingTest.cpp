// Which ops print: all of the cuda dialect, and of arith and math all but a known few.
#include "codegen/PrintCuda.h"
#include "ir/cuda/Cuda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;

static std::vector<std::string> opsWithoutSpelling(StringRef dialect) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, math::MathDialect, cuda::CudaDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::vector<std::string> missing;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == dialect && !codegen::isPrinted(name))
      missing.push_back(name.getStringRef().str());
  llvm::sort(missing);
  return missing;
}

TEST(Spellings, cover_the_cuda_dialect) {
  EXPECT_EQ(opsWithoutSpelling("cuda"), std::vector<std::string>());
}

TEST(Spellings, cover_scalars_but_for_a_few) {
  EXPECT_EQ(opsWithoutSpelling("arith"),
            (std::vector<std::string>{"arith.addui_extended", "arith.mulsi_extended",
                                      "arith.mului_extended"}));
  EXPECT_EQ(opsWithoutSpelling("math"),
            (std::vector<std::string>{"math.ctlz", "math.ctpop", "math.cttz", "math.fpowi",
                                      "math.ipowi"}));
}
