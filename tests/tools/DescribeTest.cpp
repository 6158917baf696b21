#include "tools/driver/Describe.h"

#include "ir/cuda/Cuda.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

class DescribeCuda : public testing::Test {
protected:
  DescribeCuda() { context.loadDialect<mlir::func::FuncDialect, cuda::CudaDialect>(); }

  /// The description of a kernel with one parameter.
  Status describe(const std::string &type, const std::string &param) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @k(%p: " + type + " {cuda.param = {argument = 0, axis = 0, source = \"\", " +
            param +
            "}, tile.name = \"p\"}) attributes {cuda.kernel, cuda.threads = 128 : i32, "
            "cuda.shared_bytes = 0 : i32} { return }",
        &context);
    source.target = "sm_90";
    return describeCuda(*module->getOps<mlir::func::FuncOp>().begin(), source);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  runtime::KernelSource source;
};

TEST_F(DescribeCuda, says_how_much_workspace_a_block_needs) {
  Status status = describe("!cuda.ptr<f32>", "kind = \"workspace\", bytes = 65536");
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(source.params[0].kind, runtime::ParamKind::Workspace);
  EXPECT_EQ(source.params[0].bytes, 65536u);
}

TEST_F(DescribeCuda, knows_memory_that_the_runtime_keeps) {
  ASSERT_TRUE(describe("!cuda.ptr<i32>", "kind = \"tile_counter\""));
  ASSERT_TRUE(describe("!cuda.ptr<i32>", "kind = \"flags\""));
  EXPECT_EQ(source.params[0].kind, runtime::ParamKind::TileCounter);
  EXPECT_EQ(source.params[1].kind, runtime::ParamKind::Flags);
}

TEST_F(DescribeCuda, refuses_what_the_host_cannot_pass) {
  Status status = describe("!cuda.ptr<f32>", "kind = \"wish\"");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "a parameter of kind `wish` has no meaning for the host");
}

} // namespace
} // namespace tilewright::driver
