#include "TestKernels.h"
#include "runtime/Compile.h"
#include "runtime/ElfFile.h"
#include "runtime/LoopScan.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

class MachineCodeTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!Nvrtc::get())
      GTEST_SKIP() << "no NVRTC";
  }

  /// Compiles a kernel `vector_add` with this text.
  CompiledKernel compile(const std::string &text) {
    KernelSource source = vectorAdd(GetParam());
    source.text = text;
    ErrorOr<CompiledKernel> kernel = compileKernel(source, {.useCache = false});
    EXPECT_TRUE(kernel) << kernel.error().message;
    return kernel ? *kernel : CompiledKernel();
  }

  static std::vector<Instruction> codeOf(const CompiledKernel &kernel) {
    return decode(ElfFile(kernel.text.cubin).code("vector_add"));
  }

  static size_t count(const std::vector<Instruction> &code, InstructionKind kind) {
    return static_cast<size_t>(
        std::count_if(code.begin(), code.end(),
                      [&](const Instruction &instruction) { return instruction.kind() == kind; }));
  }
};

TEST_P(MachineCodeTest, tells_instructions_apart) {
  std::vector<Instruction> code =
      codeOf(compile(R"(extern "C" __global__ void vector_add(float4 *p) {
  __shared__ float4 tile[64];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  float4 v = tile[threadIdx.x ^ 1];
  v.x = __shfl_xor_sync(~0u, v.x * v.y + v.z, 1);
  p[threadIdx.x] = v;
})"));
  EXPECT_EQ(count(code, InstructionKind::Global), 2u);
  EXPECT_EQ(count(code, InstructionKind::Shared), 2u);
  EXPECT_EQ(count(code, InstructionKind::Shuffle), 1u);
  EXPECT_EQ(count(code, InstructionKind::Float), 1u);
  EXPECT_GE(count(code, InstructionKind::Sync), 1u);
  EXPECT_EQ(count(code, InstructionKind::Tensor), 0u);
  EXPECT_EQ(count(code, InstructionKind::Local), 0u);
}

TEST_P(MachineCodeTest, finds_loops_and_what_is_in_them) {
  std::vector<Instruction> code =
      codeOf(compile(R"(extern "C" __global__ void vector_add(float *p, int n) {
  float x = p[threadIdx.x];
  #pragma unroll 1
  for (int i = 0; i < n; ++i) {
    x = __shfl_xor_sync(~0u, x, 1);
    #pragma unroll 1
    for (int k = 0; k < i; ++k) {
      x = __sinf(x);
      if (x > p[k + 2]) p[k + 8] = x; // not by all threads
    }
  }
  p[1] = x;
})"));
  std::vector<CodeLoop> loops = findLoops(code);
  ASSERT_EQ(loops.size(), 2u);
  auto [inner, outer] = std::minmax(loops[0], loops[1],
                                    [](auto &a, auto &b) { return a.body.size() < b.body.size(); });
  auto count = [&](const CodeLoop &loop, InstructionKind kind) {
    return std::count_if(loop.body.begin(), loop.body.end(),
                         [&](size_t at) { return code[at].kind() == kind; });
  };
  EXPECT_EQ(count(inner, InstructionKind::Special), 1);
  EXPECT_EQ(count(inner, InstructionKind::Global), 2);
  EXPECT_EQ(count(inner, InstructionKind::Shuffle), 0);
  EXPECT_EQ(count(outer, InstructionKind::Shuffle), 1);
  EXPECT_EQ(count(outer, InstructionKind::Global), 2);
  EXPECT_FALSE(outer.contains(0));
}

TEST_P(MachineCodeTest, registers_written_are_those_that_ptxas_counts) {
  CompiledKernel kernel = compile(R"(extern "C" __global__ void vector_add(float4 *p) {
  float4 v[12];
  #pragma unroll
  for (int i = 0; i < 12; ++i) v[i] = p[i * 32];
  #pragma unroll
  for (int i = 0; i < 12; ++i) p[i * 64] = v[11 - i];
})");
  unsigned end = 0;
  for (const Instruction &instruction : codeOf(kernel))
    end = std::max(end, instruction.registersEnd());
  EXPECT_GT(end, 24u);
  EXPECT_LE(end, kernel.resources.registers);
  EXPECT_GE(end + 3, kernel.resources.registers);
}

TEST(MachineCode, says_how_many_registers_a_role_takes) {
  Instruction dealloc{0x28000079c8, 0x000e4000080e0500}, product{0x9f0, 0};
  EXPECT_EQ(dealloc.takenRegisters(), 40u);
  EXPECT_EQ(product.takenRegisters(), 0u);
}

INSTANTIATE_TEST_SUITE_P(targets, MachineCodeTest,
                         testing::Values("sm_75", "sm_80", "sm_89", "sm_90a"));

} // namespace
