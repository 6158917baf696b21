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
  return source;
}

Outline outline() {
  Outline outline;
  outline.product = {"cuda.wgmma", "gemm.py:13"};
  outline.exchange = {"cuda.increase_registers", "gemm.py:7"};
  return outline;
}

std::string problem(const std::string &note, const Outline &outline = ::outline()) {
  Status status = checkNotes(source(), outline, {note});
  return status ? "none" : status.error().message;
}

TEST(CheckNotes, NamesTheProductThatIsSerialised) {
  EXPECT_EQ(problem("ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async "
                    "instructions are serialized due to x"),
            "gemm.py:13: `cuda.wgmma` of kernel `gemm` does not run as written on sm_90a: "
            "wgmma.mma_async instructions are serialized due to x (C7514)");
}

TEST(CheckNotes, NamesTheBudgetThatIsIgnored) {
  EXPECT_EQ(problem("ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; y"),
            "gemm.py:7: `cuda.increase_registers` of kernel `gemm` does not run as written on "
            "sm_90a: 'setmaxnreg' ignored; y (C7508)");
}

TEST(CheckNotes, AcceptsAnAddedFence) {
  EXPECT_EQ(problem("ptxas info    : (C7519) warpgroup.arrive is injected"), "none");
}

TEST(CheckNotes, FallsBackToTheKernelsLine) {
  Outline plain;
  plain.product = {"cuda.wgmma", ""};
  EXPECT_EQ(problem("(C7510) z", plain).substr(0, 10), "gemm.py:3:");
}

} // namespace
