#include "tools/driver/Acceptance.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::driver;

namespace {

runtime::KernelSource source() {
  runtime::KernelSource source;
  source.entry = "gemm";
  source.target = "sm_90a";
  source.location = "gemm.py:3";
  source.text = "void wgmma_m64n8k16_bf16() {}\n"
                "extern \"C\" __global__ void gemm() {\n"
                "#line 7 \"gemm.py\"\n"
                "  increase_registers<240>();\n"
                "#line 12 \"gemm.py\"\n"
                "  wgmma_fence();\n"
                "  wgmma_m64n8k16_bf16(acc, a, b);\n"
                "}\n";
  return source;
}

std::string problem(const std::string &note) {
  Status status = checkSchedule(source(), {note});
  return status ? "none" : status.error().message;
}

TEST(CheckSchedule, NamesTheProductThatIsSerialised) {
  EXPECT_EQ(problem("ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async "
                    "instructions are serialized due to x"),
            "gemm.py:13: `cuda.wgmma` of kernel `gemm` does not run as written on sm_90a: "
            "wgmma.mma_async instructions are serialized due to x (C7514)");
}

TEST(CheckSchedule, NamesTheBudgetThatIsIgnored) {
  EXPECT_EQ(problem("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; y"),
            "gemm.py:7: `cuda.increase_registers` of kernel `gemm` does not run as written on "
            "sm_90a: 'setmaxnreg' ignored; y (C7508)");
}

TEST(CheckSchedule, NamesTheBudgetThatIsTooSmallForItsProducts) {
  runtime::KernelSource roles = source();
  roles.text = "extern \"C\" __global__ void gemm() {\n"
               "#line 4 \"gemm.mlir\"\n"
               "  decrease_registers<24>();\n"
               "#line 7 \"gemm.mlir\"\n"
               "  increase_registers<240>();\n"
               "  wgmma_m64n256k16_bf16(acc, a, b);\n"
               "#line 12 \"gemm.mlir\"\n"
               "  decrease_registers<152>();\n"
               "  wgmma_m64n256k16_bf16(acc, a, b);\n"
               "}\n";
  Status status = checkSchedule(roles, {"ptxas info    : (C7507) Potential Performance Loss: "
                                        "'setmaxnreg' ignored to maintain minimum x"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "gemm.mlir:12: `cuda.decrease_registers` of kernel `gemm` does not run as written on "
            "sm_90a: 'setmaxnreg' ignored to maintain minimum x (C7507)");
}

TEST(CheckSchedule, AcceptsAnAddedFence) {
  EXPECT_EQ(problem("ptxas info    : (C7519) warpgroup.arrive is injected"), "none");
}

TEST(CheckSchedule, FallsBackToTheKernelsLine) {
  runtime::KernelSource plain = source();
  plain.text = "extern \"C\" __global__ void gemm() {\n  wgmma_m64n8k16_bf16(acc, a, b);\n}\n";
  Status status = checkSchedule(plain, {"(C7510) z"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message.substr(0, 10), "gemm.py:3:");
}

} // namespace
