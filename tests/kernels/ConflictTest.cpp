// What `swizzle-layout` says of bank conflicts, against those that the simulator counts.
#include "tests/kernels/SimulatedCase.h"

#include "ir/cuda/Cuda.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

struct Conflicts {
  uint64_t claimed = 0, counted = 0, accesses = 0;
};

std::optional<unsigned> lineOf(mlir::Operation *op) {
  auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  return place ? std::optional(place.getLine()) : std::nullopt;
}

/// The source lines of products.
std::set<std::optional<unsigned>> productLines(const simulator::Counters &counters) {
  std::set<std::optional<unsigned>> lines;
  for (const auto &[op, counts] : counters.ops)
    if (mlir::isa<cuda::MmaOp, mlir::math::FmaOp>(op))
      lines.insert(lineOf(op));
  return lines;
}

/// Over all channels: what their copies and the products that read them do.
Conflicts conflictsOf(const Case &test, const std::string &target) {
  Conflicts result;
  ErrorOr<SimulatedCase> simulated = SimulatedCase::create(test, target);
  EXPECT_TRUE(simulated) << simulated.error().message;
  if (!simulated)
    return result;
  for (const driver::Remark &remark : simulated->remarks())
    if (remark.pass == "swizzle-layout" && remark.values.get("swizzle")) // a channel's
      result.claimed += uint64_t(*remark.values.getInteger("conflicts"));
  SimulatedRun run = simulated->run({});
  EXPECT_EQ(run.fault, "");
  std::set<std::optional<unsigned>> products = productLines(run.result.counters);
  for (const auto &[op, counts] : run.result.counters.ops)
    if (mlir::isa<cuda::CpAsyncOp, cuda::LdmatrixOp>(op) ||
        (mlir::isa<cuda::LoadSharedOp>(op) && products.contains(lineOf(op)))) {
      result.counted += counts.sharedWavefronts - counts.sharedIdeal;
      result.accesses += counts.sharedIdeal;
    }
  return result;
}

/// One block and one step along k, on four warps; copies have no conflicts.
const Case kOneStep[] = {
    {"matmul", "E=f16,O=f16", "M=64,N=64,K=32", "BM=64,BN=64,BK=32"},
    {"matmul_nt", "E=bf16,O=bf16", "M=64,N=64,K=64", "BM=64,BN=64,BK=64"},
    {"matmul_tt", "E=f16,O=f16", "M=64,N=64,K=32", "BM=64,BN=64,BK=32"},
    {"matmul_tt", "E=bf16,O=bf16", "M=64,N=80,K=40", "BM=64,BN=80,BK=40"},
    {"matmul", "E=f32,O=f32", "M=64,N=64,K=32", "BM=64,BN=64,BK=32,tf32=true"},
    {"matmul", "E=f32,O=f32", "M=64,N=64,K=32", "BM=64,BN=64,BK=32,tf32=false"},
    {"matmul_tn", "E=i8,O=i32", "M=64,N=64,K=64", "BM=64,BN=64,BK=64"},
    {"matmul", "E=f8e4m3,O=f32", "M=64,N=64,K=64", "BM=64,BN=64,BK=64"},
};

} // namespace

TEST(SwizzleLayout, tiles_of_16_bits_have_no_conflicts) {
  Case cases[] = {{"matmul", "E=f16,O=f16", "M=128,N=128,K=128", "BM=64,BN=64,BK=32"},
                  {"matmul_nt", "E=bf16,O=bf16", "M=64,N=64,K=128", "BM=64,BN=64,BK=64"},
                  {"matmul_tt", "E=f16,O=f16", "M=64,N=64,K=64", "BM=64,BN=64,BK=32"},
                  {"attention", "E=bf16", "B=1,S=64,T=128,H=1,G=1,D=64", "BM=64,BN=64"}};
  for (const Case &test : cases) {
    Conflicts conflicts = conflictsOf(test, "sm_80");
    EXPECT_GT(conflicts.accesses, 0u) << test.command();
    EXPECT_EQ(conflicts.claimed, 0u) << test.command();
    EXPECT_EQ(conflicts.counted, 0u) << test.command();
  }
}

TEST(SwizzleLayout, claims_what_the_simulator_counts) {
  bool some = false;
  for (const Case &test : kOneStep) {
    Conflicts conflicts = conflictsOf(test, "sm_89");
    EXPECT_EQ(conflicts.claimed * 4, conflicts.counted) << test.command();
    some |= conflicts.counted > 0;
  }
  EXPECT_TRUE(some);
}
