// How blocks that are at work at the same time add up their sums together (ExpandSums.cpp): each
// waits until all have written theirs, and adds up a part of the words. In groups, one SM reads all
// sums of a group, and then one those of all groups: 12 us for the gradient of rms_norm with 4096
// columns on an H100, 23 for layer_norm's two sums.
//
// The parts are pieces: what 8 threads, a team, read side by side, a sector of memory or up to
// four. As many teams share the groups of a piece as it takes to have a team for each piece: one
// for long rows, which few blocks share, and up to 16. A team loads all that it adds up at once.
// Teams of a warp then shuffle, and those of several meet in shared memory.
//
// A block may only wait for others that run: it counts itself when it starts, and the last one to
// start proposes to go together, unless they are few. A block that ends before that proposes to go
// in groups. All go the way that was proposed first (`flag_settle`). Flags return to 0 for the next
// launch. Each step takes a thread about 0.7 us, so it waits for no answer that it does not need
// yet.
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

#include "mlir/Analysis/SliceAnalysis.h"

namespace tilewright::passes {

using namespace mlir;

/// Proposals of blocks, and the flags behind the counters of warps, of each column.
enum Way : int64_t { kTogether = 1, kInGroups = 2 };
enum Flag : int64_t { kStarted, kWay, kHere, kFlags };

/// Blocks for each team that shares a piece with which going together is faster. A block takes 0.4
/// us for the pieces that it adds up at once, and in groups as long for each word of a thread: one
/// block, of the gradient of layer_norm with one row of 512 columns, 230 us and 12. Measured with 1
/// to 4096 rows of 64 to 16384 columns (bench/results/h200/rows_more.json).
constexpr int64_t kFewestBlocks = 2;

/// Whether blocks may add up their sums together: if the grid has as many as run at once.
bool Expander::addsTogether() {
  SmallVector<tile::AtomicOp> sums = sumsInOrder(kernel);
  auto isTile = [](tile::AtomicOp sum) { return isa<RankedTensorType>(sum.getValue().getType()); };
  auto isLikeFirst = [&](tile::AtomicOp sum) {
    tile::AtomicOp first = sums.front();
    return getElementTypeOrSelf(sum.getValue()) == getElementTypeOrSelf(first.getValue());
  };
  if (sums.empty() || llvm::none_of(sums, isTile) || !llvm::all_of(sums, isLikeFirst) ||
      !loopOfSums())
    return false;
  auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
  SetVector<Operation *> behind;
  getBackwardSlice(grid.getExtents().back(), &behind);
  return llvm::any_of(behind, [](Operation *op) { return isa<cta::SmsOp>(op); });
}

/// The loop over a block's programs.
Operation *Expander::loopOfSums() {
  auto loops = kernel.getBody().front().getOps<scf::ForOp>();
  return loops.empty() ? nullptr : (*loops.begin()).getOperation();
}

/// The number of one of a column's flags, which lie behind the counters.
Value Expander::flagOf(const SumPlace &at, int64_t flag) {
  Value blocks = product(at.rows, at.columns);
  return add(add(product(blocks, constant(warps)), mul(at.column, kFlags)), constant(flag));
}

int64_t Expander::flagsInOrder() { return warps + (addsTogether() ? int64_t(kFlags) : 0); }

/// Counts the block among those that have started, behind its first loads. The last one proposes to
/// go together.
void Expander::countIn() {
  SumPlace at = sumPlace();
  Type i32 = builder.getI32Type();
  SumTeams teams = sumTeams(kernel);
  Value fewest = constant(llvm::divideCeilSigned(kFewestBlocks * teams.ofPiece, teams.vector));
  Value areMany = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, at.rows, fewest);
  branch(both(equal(thread, constant(0)), areMany), [&] {
    Value last = builder.create<arith::SubIOp>(loc, at.rows, constant(1));
    Value before = builder.create<cuda::FlagCountOp>(
        named("before"), i32, flags, flagOf(at, kStarted), last, cuda::FlagOrder::Relaxed);
    branch(equal(before, last), [&] {
      builder.create<cuda::FlagSettleOp>(named("way"), i32, flags, flagOf(at, kWay),
                                         constant(kTogether));
    });
  });
}

/// Whether all blocks go together. If they do, all have left their sums behind it. `left` becomes
/// how many blocks had left before this one.
Value Expander::meetBlocks(Value left, tile::AtomicOp last, const SumPlace &at) {
  Type i32 = builder.getI32Type();
  Value way = declare(named("way"), 1, i32), word = scratch(last), first = constant(0);
  barrier(); // the block has left its sums
  branch(equal(thread, first), [&] {
    // Asks first, so that the answer comes while the sums are on their way to memory.
    Value settled = builder.create<cuda::FlagSettleOp>(named("settled"), i32, flags,
                                                       flagOf(at, kWay), constant(kInGroups));
    countHere(at, cuda::FlagOrder::Release);
    branch(equal(settled, constant(kTogether)),
           [&] { builder.create<cuda::FlagAwaitOp>(loc, flags, flagOf(at, kHere), at.rows); });
    builder.create<cuda::SetOp>(loc, countHere(at, cuda::FlagOrder::Relaxed), left, first);
    builder.create<cuda::SetOp>(loc, settled, way, first);
    builder.create<cuda::StoreSharedOp>(loc, way, first, word, Value(), 1);
  });
  barrier();
  builder.create<cuda::LoadSharedOp>(loc, word, way, first, 1);
  return equal(builder.create<cuda::GetOp>(loc, i32, way, first), constant(kTogether));
}

/// A count that is one less than twice as many as there are blocks.
static Value lastToLeave(OpBuilder &builder, Location loc, Value blocks) {
  Value twice = builder.create<arith::AddIOp>(loc, blocks, blocks);
  Value one = builder.create<arith::ConstantIntOp>(loc, 1, 32);
  return builder.create<arith::SubIOp>(loc, twice, one);
}

/// Each block counts itself twice: with its sums left, and when it waits for no other. Gives how
/// many had counted before.
Value Expander::countHere(const SumPlace &at, cuda::FlagOrder order) {
  Value last = lastToLeave(builder, loc, at.rows);
  return builder.create<cuda::FlagCountOp>(named("before"), builder.getI32Type(), flags,
                                           flagOf(at, kHere), last, order);
}

/// The last block to leave lets the next launch propose a way.
void Expander::openWay(Value left, const SumPlace &at) {
  branch(equal(thread, constant(0)), [&] {
    Value before = builder.create<cuda::GetOp>(loc, builder.getI32Type(), left, constant(0));
    branch(equal(before, lastToLeave(builder, loc, at.rows)), [&] {
      builder.create<cuda::FlagCountOp>(named("before"), builder.getI32Type(), flags,
                                        flagOf(at, kWay), constant(0), cuda::FlagOrder::Relaxed);
    });
  });
}

/// The block has every `rows`th piece, and adds up as many at once as it has teams for.
void Expander::addTogether(ArrayRef<tile::AtomicOp> sums, const SumPlace &at) {
  constexpr int64_t kTeamsOfWarp = kLanes / kSumTeam;
  SumTeams teams = sumTeams(kernel);
  int64_t share = teams.ofPiece, vector = teams.vector;
  int64_t pieces = warps * kLanes / kSumTeam / share; // at once
  bool fitsWarp = share <= kTeamsOfWarp;
  tile::AtomicOp any = sums.front();
  Type element = getElementTypeOrSelf(any.getValue().getType());
  Value all = constant(wordsOfSums(kernel) * warps * kLanes / (kSumTeam * vector));
  Value behind = builder.create<arith::SubIOp>(loc, all, at.row);
  Value own = builder.create<arith::CeilDivSIOp>(loc, behind, at.rows);
  Value team = div(thread, kSumTeam), place = rem(thread, kSumTeam), base = scratch(sums.back());
  Value number = div(team, share), member = rem(team, share);
  Value first = mul(member, teams.groups()); // of the team's groups
  auto loop = builder.create<scf::ForOp>(loc, constant(0), own, constant(pieces));
  loop.getInductionVar().setLoc(named("done"));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  auto less = [&](Value a, Value b) {
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a, b);
  };
  /// The place of a piece of this round, and whether it is the block's.
  auto pieceOf = [&](Value number) {
    Value next = add(loop.getInductionVar(), number);
    return std::pair(add(at.row, product(next, at.rows)),
                     both(less(next, own), less(number, constant(pieces))));
  };
  auto withOwn = [&](Value number, Value condition, auto body) {
    auto [piece, isOwn] = pieceOf(number);
    branch(both(isOwn, condition), [&, piece = piece] { body(piece); });
  };
  auto update = [&](Value piece, Value array) {
    withPiece(sums, piece, [&](tile::AtomicOp sum, Value index, Value i, Value only) {
      updateWord(sum, array, i, index, only);
    });
  };

  Value total = declare(named("total"), vector, element);
  unrolled(vector,
           [&](Value i) { builder.create<cuda::SetOp>(loc, constantOf(element, 0), total, i); });
  // Which sum a word is of only matters where several lanes hold it.
  if (llvm::all_of(sums, isHeldOnce)) {
    auto [piece, isOwn] = pieceOf(number);
    addGroups(total, at, first, piece, isOwn);
  } else {
    withOwn(number, Value(), [&](Value piece) {
      withPiece(sums, piece, [&](tile::AtomicOp, Value, Value, Value only) {
        addGroups(total, at, first, piece, only);
      });
    });
  }
  for (int64_t step = 1; step < std::min(share, kTeamsOfWarp); step *= 2)
    unrolled(vector, [&](Value i) {
      Value own = builder.create<cuda::GetOp>(loc, element, total, i);
      Value other =
          builder.create<cuda::ShuffleXorOp>(loc, element, own, constant(step * kSumTeam));
      builder.create<cuda::SetOp>(
          loc, combineValues(builder, loc, tile::ReduceKind::Sum, own, other), total, i);
    });
  if (fitsWarp)
    return withOwn(number, equal(member, constant(0)), [&](Value piece) { update(piece, total); });

  int64_t parts = share / kTeamsOfWarp; // of warps
  auto placeOf = [&](Value number, Value part) {
    Value linear = add(mul(add(mul(number, parts), part), kSumTeam), place);
    return add(base, mul(linear, vector * Exchange::kWordBytes));
  };
  barrier(); // nobody reads the scratch memory
  Value isFirst = equal(rem(team, kTeamsOfWarp), constant(0));
  builder.create<cuda::StoreSharedOp>(loc, total, constant(0),
                                      placeOf(number, div(member, kTeamsOfWarp)), isFirst, vector);
  barrier();
  withOwn(team, Value(), [&](Value piece) {
    Value found = declare(named("parts"), parts * vector, element);
    unrolled(parts, [&](Value part) {
      builder.create<cuda::LoadSharedOp>(loc, placeOf(team, part), found, mul(part, vector),
                                         vector);
    });
    addNeighbours(found, parts, vector);
    update(piece, found);
  });
}

/// Writes code for a thread's words of a piece, as the lanes that hold them: `body(sum, register,
/// i, only)`, with the sum that they are of, its register there, the number of the word, and
/// whether the lane is the first to hold its element.
void Expander::withPiece(ArrayRef<tile::AtomicOp> sums, Value piece,
                         function_ref<void(tile::AtomicOp, Value, Value, Value)> body) {
  FreshThread holder(*this, /*active=*/false);
  int64_t vector = sumTeams(kernel).vector;
  int64_t pieces = kLanes / (kSumTeam * vector); // of the words that a warp's lanes hold together
  Value chunk = div(piece, pieces), word = div(chunk, warps);
  warp = rem(chunk, warps);
  auto beLane = [&](Value a, Value b) {
    lane = builder.create<arith::AddIOp>(loc, a, b);
    entryEnd = lane.getDefiningOp();
    threadCoordinates.clear();
  };
  beLane(mul(rem(piece, pieces), kSumTeam * vector), mul(rem(thread, kSumTeam), vector));
  Value first = lane;
  int64_t before = 0;
  for (tile::AtomicOp sum : sums) {
    int64_t behind = before + wordsOfSum(sum);
    Value isOf;
    if (before)
      isOf = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, word, constant(before));
    if (behind < wordsOfSums(kernel))
      isOf = both(isOf, builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, word,
                                                      constant(behind)));
    branch(isOf, [&] {
      unrolled(vector, [&](Value i) {
        FreshThread inside(*this, /*active=*/false); // coordinates of a branch stay in it
        if (vector > 1)
          beLane(first, i);
        auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
        Value only = type ? firstReplica(cta::layoutOf(type))
                          : both(equal(warp, constant(0)), equal(lane, constant(0)));
        body(sum, add(word, constant(-before)), i, only);
      });
    });
    before = behind;
  }
}

/// Adds up this thread's words of a piece over the blocks of a team's groups, in `total`. These are
/// the groups from `first` on, of which some may not be there.
void Expander::addGroups(Value total, const SumPlace &at, Value first, Value piece, Value only) {
  Type f32 = builder.getF32Type(), element = cast<cuda::RegsType>(total.getType()).getElementType();
  SumTeams teams = sumTeams(kernel);
  int64_t vector = teams.vector, together = teams.together;
  Value sums = declare(named("sums"), teams.groups() * vector, element);
  Value words = declare(named("words"), teams.groups() * together * vector, f32);
  unrolled(teams.groups() * vector,
           [&](Value i) { builder.create<cuda::SetOp>(loc, constantOf(element, 0), sums, i); });
  auto loop = builder.create<scf::ForOp>(loc, constant(0), at.group, constant(together));
  loop.getInductionVar().setLoc(named("other"));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value column = mul(add(mul(piece, kSumTeam), rem(thread, kSumTeam)), vector);
    unrolled(teams.groups(), [&](Value i) {
      Value start = firstOf(at, add(first, i)), members = membersOf(at, start);
      unrolled(together, [&](Value j) {
        Value other = add(loop.getInductionVar(), j);
        Value slot = mul(add(mul(i, together), j), vector);
        Value isMember =
            builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, other, members);
        unrolled(vector, [&](Value k) {
          builder.create<cuda::SetOp>(loc, constantOf(f32, 0), words, add(slot, k));
        });
        builder.create<cuda::LoadGlobalOp>(loc, workspace,
                                           wordOf(blockAt(at, add(start, other)), column), words,
                                           slot, both(only, isMember), vector);
      });
    });
    unrolled(teams.groups(), [&](Value i) {
      unrolled(together * vector, [&](Value j) {
        addWord(sums, add(mul(i, vector), rem(j, vector)), words,
                add(mul(i, together * vector), j));
      });
    });
  }
  addNeighbours(sums, teams.groups(), vector);
  unrolled(vector, [&](Value i) {
    Value sum = builder.create<cuda::GetOp>(loc, element, sums, i);
    builder.create<cuda::SetOp>(loc, sum, total, i);
  });
}

} // namespace tilewright::passes
