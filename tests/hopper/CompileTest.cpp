// The programs of this folder compile as they are meant to run.
#include "runtime/Compile.h"
#include "tests/hopper/Attention.h"
#include "tests/hopper/Operands.h"
#include "tools/driver/Acceptance.h"
#include "tools/driver/RoleLoops.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

/// Expects machine code for sm_90a that keeps its products asynchronous and its registers; gives
/// the PTX.
static void expectClean(const KernelSource &source, unsigned registers,
                        std::string *ptx = nullptr) {
  EXPECT_EQ(source.target, "sm_90a");
  ErrorOr<CompiledKernel> compiled = compileKernel(source, {.useCache = false});
  ASSERT_TRUE(compiled) << compiled.error().message << source.text;
  EXPECT_EQ(compiled->performanceNotes, std::vector<std::string>()) << source.text;
  EXPECT_EQ(compiled->text.log.find("warning"), std::string::npos) << compiled->text.log;
  EXPECT_EQ(compiled->spills.storeBytes + compiled->spills.loadBytes, 0u);
  EXPECT_EQ(compiled->resources.frameBytes, 0u);
  EXPECT_TRUE(compiled->resources.productLoops.multiplies);
  EXPECT_LE(compiled->resources.registers, registers);
  if (ptx)
    *ptx = compiled->text.ptx;
}

/// Expects machine code for the target that a program names.
static void expectAccepted(const std::string &file) {
  driver::KernelTextPtr text = *driver::loadKernelText(hopper::textOf(file), file, "");
  driver::Attempt attempt;
  attempt.config.target = text->target;
  ErrorOr<driver::Compiled> compiled = driver::compile(text, attempt, {.useCache = false});
  EXPECT_TRUE(compiled) << compiled.error().message;
}

TEST(HopperPrograms, gemm_compiles_without_serialised_products) {
  expectClean(hopper::gemm(), 168);
}

TEST(HopperPrograms, waits_have_a_watchdog_when_asked_for) {
  std::string released, watched;
  expectClean(hopper::gemm(), 168, &released);
  setenv("TILEWRIGHT_WATCHDOG", "2000", 1);
  expectClean(hopper::gemm(), 168, &watched);
  unsetenv("TILEWRIGHT_WATCHDOG");
  EXPECT_EQ(released.find("trap"), std::string::npos);
  EXPECT_NE(watched.find("trap"), std::string::npos);
}

TEST(HopperPrograms, split_k_compiles_without_serialised_products) {
  KernelSource source = hopper::splitK();
  EXPECT_EQ(source.clusterSize, 2u);
  expectClean(source, 168);
}

TEST(HopperPrograms, chain_compiles_without_serialised_products) {
  expectClean(hopper::chain(), 168);
}

TEST(HopperPrograms, compile_without_serialised_products) {
  std::vector<std::string> files = hopper::ctaPrograms();
  EXPECT_GE(files.size(), 16u);
  for (const std::string &file : files) {
    SCOPED_TRACE(file);
    KernelSource source = hopper::programSource(file);
    if (source.target == "sm_90a") // registers as the block starts with them
      expectClean(source, std::min(255u, 65536 / source.threads / 8 * 8));
    else
      expectAccepted(file);
  }
  KernelSource source;
  hopper::lowerProgram(hopper::attentionByTurns(), &source);
  expectClean(source, 168);
  hopper::lowerProgram(
      hopper::replaced("gemm_pingpong.mlir", {{"grouped 16 turn", "grouped 16 queue turn"}}),
      &source);
  expectClean(source, 168);
}

/// What is said against machine code for this text.
static std::string refusal(const std::string &text) {
  ErrorOr<driver::Lowered> lowered = hopper::lowerCta(text);
  EXPECT_TRUE(lowered) << lowered.error().message;
  ErrorOr<CompiledKernel> compiled = compileKernel(lowered->source, {.useCache = false});
  EXPECT_TRUE(compiled) << compiled.error().message;
  EXPECT_TRUE(compiled->resources.productLoops.found);
  Status accepted = driver::checkLocalMemory(lowered->source, lowered->outline, *compiled);
  return accepted ? "" : accepted.error().message;
}

TEST(HopperPrograms, are_refused_if_registers_are_spilled_in_a_loop) {
  EXPECT_EQ(refusal(hopper::textOf("gemm_mixed.mlir")), "");
  EXPECT_THAT(refusal(hopper::replaced("gemm_mixed.mlir", {{"registers 120", "registers 56"}})),
              testing::MatchesRegex("program.mlir:[0-9]+: `[a-z.]+` of role \"dequantise\" keeps "
                                    "registers in local memory within a loop .*"));
  EXPECT_THAT(refusal(hopper::replaced("gemm_pingpong.mlir",
                                       {{"registers 232", "registers 152"},
                                        {"grouped 16 turn", "grouped 16 queue turn"}})),
              testing::MatchesRegex("program.mlir:[0-9]+: `[a-z.]+` of role \"multiply [01]\" .*"));
}

TEST(HopperPrograms, have_machine_code_in_each_role) {
  for (const char *file :
       {"gemm_cooperative.mlir", "gemm_pingpong.mlir", "attention_causal.mlir"}) {
    SCOPED_TRACE(file);
    ErrorOr<driver::Lowered> lowered = hopper::lowerCta(hopper::textOf(file));
    ErrorOr<CompiledKernel> compiled = compileKernel(lowered->source, {.useCache = false});
    driver::RoleCode code = driver::roleCode(lowered->outline, lowered->source.entry, *compiled);
    std::vector<driver::RoleLoop> loops = driver::roleLoops(code);
    for (const driver::RoleOutline &role : lowered->outline.roles) {
      SCOPED_TRACE(role.name);
      bool multiplies = !llvm::StringRef(role.name).starts_with("load");
      unsigned registers = driver::registersOf(code, role), products = 0, copies = 0;
      EXPECT_LE(registers, *role.registers);
      EXPECT_GT(registers, multiplies ? 128 : 0);
      for (const driver::RoleLoop &loop : loops)
        if (loop.role == &role) {
          products += loop.mix.count(InstructionKind::Tensor);
          copies += loop.mix.count(InstructionKind::Tma);
        }
      EXPECT_EQ(products > 0, multiplies);
      EXPECT_TRUE(multiplies || copies > 0);
    }
  }
}

TEST(HopperPrograms, products_compile_in_every_form) {
  for (const hopper::Product &product : hopper::allProducts()) {
    SCOPED_TRACE(testing::PrintToString(product));
    expectClean(product.source(), 255);
  }
}
