// Products in clusters: addresses have the block's rank in their upper bits, of which descriptors
// must be free.
#include "runtime/Driver.h"
#include "support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

/// A product in clusters, whose second operand has its columns in panels.
std::string planOf(const std::string &clusters, int columns) {
  int together = columns % 64 == 0 ? 64 : columns % 32 == 0 ? 32 : 16;
  return fmt::format(
      "plan 1 of matmul for sm_90\n"
      "  tiles     BM 128, BN {1}, BK 64\n"
      "  blocks    1 per SM, clusters of {0}\n"
      "  roles     load: 1 warp, 40 registers, s1, s2; compute: 8 warps, 232 registers\n"
      "  products  p1: wgmma 64x{1}x16, warps 8x1\n"
      "  channels  s1: tma multicast, 4 slots; s2: tma multicast, 4 slots; e1: store, 2 slots "
      "of {2} columns\n",
      clusters, columns, together);
}

bool hasHopper() {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  return driver && !(*driver)->devices().empty() &&
         (*driver)->devices().front().target().substr(0, 5) == "sm_90";
}

/// Whether `tilewright run` finds that a kernel's result is right.
bool isRight(std::vector<std::string> words) {
  words.insert(words.begin(), {TILEWRIGHT_PROGRAM, "run"});
  words.insert(words.end(), {"--dtype", "E=bf16", "--repeat", "1"});
  llvm::SmallVector<llvm::StringRef> references(words.begin(), words.end());
  return llvm::sys::ExecuteAndWait(TILEWRIGHT_PROGRAM, references) == 0;
}

class ClusterPlanGpu : public testing::TestWithParam<std::string> {};

TEST_P(ClusterPlanGpu, has_right_products_with_panels_of_every_width) {
  if (!hasHopper())
    GTEST_SKIP() << "no GPU of sm_90";
  llvm::SmallString<128> file;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("clusters", "plan", file));
  llvm::FileRemover remover(file);
  for (int columns : {16, 128, 160, 176}) { // 176 columns in three panels of 64
    SCOPED_TRACE(columns);
    ASSERT_TRUE(writeFileAtomic(std::string(file), planOf(GetParam(), columns)));
    // As many steps as fill all slots twice.
    EXPECT_TRUE(isRight({"matmul", "--shape", "M=512,N=704,K=512", "--plan", std::string(file)}));
  }
}

/// Sizes for which the planner finds clusters of four or eight today.
TEST(FoundPlanGpu, has_right_products_in_each_order) {
  if (!hasHopper())
    GTEST_SKIP() << "no GPU of sm_90";
  constexpr std::pair<const char *, const char *> kProducts[] = {
      {"matmul", "M=5048,N=440,K=672"},     {"matmul", "M=5120,N=1168,K=232"},
      {"matmul_tn", "M=3952,N=360,K=5088"}, {"matmul_tn", "M=10440,N=888,K=5280"},
      {"matmul_tt", "M=792,N=1920,K=1016"}, {"matmul_nt", "M=2296,N=608,K=7688"}};
  for (auto [kernel, shape] : kProducts) {
    SCOPED_TRACE(kernel);
    EXPECT_TRUE(isRight({kernel, "--shape", shape}));
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, ClusterPlanGpu, testing::Values("2 x 2", "4 x 2", "2 x 4"));

} // namespace
} // namespace tilewright
