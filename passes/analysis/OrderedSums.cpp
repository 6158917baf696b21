#include "passes/analysis/OrderedSums.h"

#include "ir/cta/Cta.h"

namespace tilewright::passes {

using namespace mlir;

SmallVector<tile::AtomicOp> sumsInOrder(func::FuncOp kernel) {
  SmallVector<tile::AtomicOp> sums;
  for (auto atomic : kernel.getBody().front().getOps<tile::AtomicOp>())
    if (atomic.getInOrder())
      sums.push_back(atomic);
  return sums;
}

int64_t wordsOfSum(tile::AtomicOp sum) {
  auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
  return type ? cta::layoutOf(type).registers() : 1;
}

int64_t wordsOfSums(func::FuncOp kernel) {
  int64_t words = 0;
  for (tile::AtomicOp sum : sumsInOrder(kernel))
    words += wordsOfSum(sum);
  return words;
}

bool isHeldOnce(tile::AtomicOp sum) {
  auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
  return type && llvm::all_of(ArrayRef{Level::Lane, Level::Warp}, [&](Level level) {
           return llvm::none_of(cta::layoutOf(type).digits(level),
                                [](const Digit &digit) { return digit.dim == kReplicated; });
         });
}

/// Blocks that add to one place if as many run as an H200 has room for.
static int64_t usualBlocks(func::FuncOp kernel) {
  auto perSm = kernel->getAttrOfType<IntegerAttr>(cta::kMinBlocksAttr);
  int64_t cluster = cta::clusterOf(kernel).blocks();
  int64_t sms = cluster < 4 ? 132 : 120; // clusters of 4 and 8 leave some out
  return sms * (perSm ? perSm.getInt() : 1) / cluster;
}

SumTeams sumTeams(func::FuncOp kernel) {
  constexpr int64_t kMostLoads = 80; // words in registers that the loop before has left
  int64_t blocks = usualBlocks(kernel), words = wordsOfSums(kernel);
  int64_t threads = cta::warpsOf(kernel) * kLanes;
  // Of a group: 9 of 132 blocks, 17 of 264, 33 of 528.
  int64_t members = std::max(kFewestMembers, llvm::divideCeilSigned(blocks, kSumGroups));
  auto teamsWith = [&](int64_t vector) {
    SumTeams teams{.vector = vector};
    // Each piece has teams if they share it so.
    int64_t most = std::min({blocks * vector / words, threads / kSumTeam, kSumGroups});
    teams.ofPiece = most < 1 ? 1 : int64_t(llvm::bit_floor(uint64_t(most)));
    teams.together = std::clamp<int64_t>(kMostLoads / (teams.groups() * vector), 1, members);
    return teams;
  };
  bool isHeld = llvm::all_of(sumsInOrder(kernel), isHeldOnce);
  for (int64_t vector : {4, 2}) {
    SumTeams teams = teamsWith(vector);
    bool haveAll = words * threads >= kSumTeam * vector * blocks; // a piece
    if (isHeld && haveAll && teams.together == members)
      return teams;
  }
  return teamsWith(1);
}

} // namespace tilewright::passes
