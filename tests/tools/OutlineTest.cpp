#include "tools/driver/Outline.h"

#include "ir/cuda/Cuda.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::driver;

namespace {

const std::string kProduct =
    "cuda.wgmma 256 %d[%i], %a, %b : !cuda.regs<128 x f32>, i64, bf16 x bf16\n";

/// Of a kernel at the `cuda` level.
Outline codeOf(const std::string &body) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, cuda::CudaDialect>();
  std::string text = "func.func @gemm(%d: !cuda.regs<128 x f32>, %i: i32, %a: i64, %b: i64) {\n" +
                     body + "  return\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "gemm.mlir");
  EXPECT_TRUE(module) << text;
  Outline outline;
  if (module)
    addCode(*module->getOps<mlir::func::FuncOp>().begin(), outline);
  return outline;
}

TEST(Outline, names_the_budget_that_is_tightest_for_products) {
  Outline outline = codeOf("cuda.decrease_registers 24\n"
                           "cuda.increase_registers 240\n" +
                           kProduct + "cuda.decrease_registers 152\n" + kProduct);
  ASSERT_TRUE(outline.exchange && outline.product);
  EXPECT_EQ(outline.exchange->op, "cuda.decrease_registers");
  EXPECT_EQ(outline.exchange->place, "gemm.mlir:5");
  EXPECT_EQ(outline.product->place, "gemm.mlir:4");
}

TEST(Outline, names_the_first_budget_where_no_products_follow) {
  Outline outline = codeOf("cuda.decrease_registers 24\n"
                           "cuda.increase_registers 240\n");
  EXPECT_FALSE(outline.product);
  ASSERT_TRUE(outline.exchange);
  EXPECT_EQ(outline.exchange->place, "gemm.mlir:2");
}

TEST(Outline, lists_shared_memory_by_addresses) {
  Outline outline = codeOf("%x = cuda.shared 1024, 64\n"
                           "%y = cuda.shared 0, 1024\n"
                           "%z = cuda.shared 0, 1024\n");
  ASSERT_EQ(outline.shared.size(), 2u);
  EXPECT_EQ(outline.shared[0].bytes, 1024);
  EXPECT_EQ(outline.shared[1].offset, 1024);
}

} // namespace
