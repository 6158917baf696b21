// What `swizzle-layout` says of bank conflicts, against those that the simulator counts.
#include "tests/kernels/SimulatedCase.h"

#include "ir/cuda/Cuda.h"

#include <gtest/gtest.h>
#include <regex>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

struct Conflicts {
  uint64_t claimed = 0, channels = 0; // over all channels
  uint64_t counted = 0, requests = 0; // of copies into channels and of ldmatrix
};

Conflicts conflictsOf(const Case &test, const std::string &target) {
  Conflicts result;
  ErrorOr<SimulatedCase> simulated = SimulatedCase::create(test, target);
  EXPECT_TRUE(simulated) << simulated.error().message;
  if (!simulated)
    return result;
  static const std::regex claim("swizzle-layout: .*, ([0-9]+) conflicts in");
  for (const std::string &remark : simulated->remarks())
    if (std::smatch match; std::regex_search(remark, match, claim)) {
      result.claimed += std::stoull(match[1]);
      ++result.channels;
    }
  SimulatedRun run = simulated->run({});
  EXPECT_EQ(run.fault, "");
  for (const auto &[op, counts] : run.result.counters.ops)
    if (mlir::isa<cuda::CpAsyncOp, cuda::LdmatrixOp>(op)) {
      result.counted += counts.sharedWavefronts - counts.sharedIdeal;
      result.requests += counts.sharedRequests;
    }
  return result;
}

} // namespace

TEST(SwizzleLayout, tiles_without_conflicts_have_none) {
  Case cases[] = {{"matmul", "E=f16,O=f16", "M=128,N=128,K=128", "BM=64,BN=64,BK=32"},
                  {"matmul_nt", "E=bf16,O=bf16", "M=64,N=64,K=128", "BM=64,BN=64,BK=64"},
                  {"matmul_tt", "E=f16,O=f16", "M=64,N=64,K=64", "BM=64,BN=64,BK=32"},
                  {"attention", "E=bf16", "B=1,S=64,T=128,H=1,G=1,D=64", "BM=64,BN=64"}};
  for (const Case &test : cases) {
    Conflicts conflicts = conflictsOf(test, "sm_80");
    EXPECT_GT(conflicts.channels, 1u) << test.command();
    EXPECT_GT(conflicts.requests, 0u) << test.command();
    EXPECT_EQ(conflicts.claimed, 0u) << test.command();
    EXPECT_EQ(conflicts.counted, 0u) << test.command();
  }
}

TEST(SwizzleLayout, conflicts_that_are_left_are_there) {
  Case test{"attention", "E=bf16", "B=1,S=64,T=64,H=1,G=1,D=80", "BM=64,BN=64"};
  Conflicts conflicts = conflictsOf(test, "sm_80");
  EXPECT_EQ(conflicts.claimed > 0, conflicts.counted > 0)
      << conflicts.claimed << " claimed, " << conflicts.counted << " counted";
}
