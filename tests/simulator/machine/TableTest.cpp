// The table of instructions: every row has a spelling in codegen, and codegen spells nothing else.
#include "codegen/PrintCuda.h"
#include "ir/cuda/Cuda.h"
#include "simulator/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;

TEST(Instructions, are_those_that_codegen_prints) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, func::FuncDialect,
                  cuda::CudaDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (RegisteredOperationName name : context.getRegisteredOperations())
    EXPECT_EQ(simulator::isSimulated(name.getStringRef()), codegen::isPrinted(name))
        << name.getStringRef().str();
}
