#include "runtime/LineTable.h"
#include "TestKernels.h"
#include "runtime/Compile.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

/// The machine code of a kernel whose line 7 calls a function of another file.
CompiledKernel compile(const std::vector<std::string> &options) {
  KernelSource source = vectorAdd("sm_90a");
  source.options = options;
  source.text = "#line 30 \"prelude.cuh\"\n"
                "__device__ __forceinline__ float scaled(float x) { return x * x + 3; }\n"
                "extern \"C\" __global__ void vector_add(float *p, const float *q) {\n"
                "#line 5 \"folder/kernel.mlir\"\n"
                "  float x = q[threadIdx.x];\n"
                "#line 7 \"folder/kernel.mlir\"\n"
                "  float y = scaled(x);\n"
                "#line 300 \"folder/kernel.mlir\"\n"
                "  p[threadIdx.x] = y;\n"
                "}\n";
  ErrorOr<CompiledKernel> kernel = compileKernel(source, {.useCache = false});
  EXPECT_TRUE(kernel) << kernel.error().message;
  return kernel ? *kernel : CompiledKernel();
}

std::set<unsigned> linesIn(const CompiledKernel &kernel, const char *file) {
  std::vector<unsigned> lines = linesOf(kernel.text.cubin, "vector_add", file);
  return {lines.begin(), lines.end()};
}

class LineTableTest : public testing::Test {
protected:
  void SetUp() override {
    if (!Nvrtc::get())
      GTEST_SKIP() << "no NVRTC";
  }
};

TEST_F(LineTableTest, inlined_code_is_of_the_line_that_calls) {
  CompiledKernel kernel = compile({"-lineinfo"});
  std::set<unsigned> lines = linesIn(kernel, "elsewhere/kernel.mlir");
  EXPECT_TRUE(lines.contains(5));
  EXPECT_TRUE(lines.contains(7));
  EXPECT_TRUE(lines.contains(300));
  EXPECT_FALSE(lines.contains(30));
  EXPECT_FALSE(linesIn(kernel, "prelude.cuh").contains(30));
}

TEST_F(LineTableTest, has_a_line_for_each_instruction) {
  CompiledKernel kernel = compile({"-lineinfo"});
  std::vector<unsigned> lines = linesOf(kernel.text.cubin, "vector_add", "kernel.mlir");
  EXPECT_GT(lines.size(), 8u);
  EXPECT_TRUE(linesOf(kernel.text.cubin, "other", "kernel.mlir").empty());
}

TEST_F(LineTableTest, is_empty_without_line_information) {
  EXPECT_TRUE(linesIn(compile({}), "kernel.mlir").empty());
}

TEST_F(LineTableTest, survives_damaged_files) {
  std::string cubin = compile({"-lineinfo"}).text.cubin;
  for (size_t size = 0; size < cubin.size(); size += 61)
    (void)linesOf(std::string_view(cubin).substr(0, size), "vector_add", "kernel.mlir");
  for (size_t at = 0; at < cubin.size(); at += 5) {
    std::string damaged = cubin;
    damaged[at] = static_cast<char>(~damaged[at]);
    (void)linesOf(damaged, "vector_add", "kernel.mlir");
  }
}

} // namespace
