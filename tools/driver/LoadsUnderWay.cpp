#include "tools/driver/LoadsUnderWay.h"

#include "ir/Layout.h"
#include "ir/Target.h"
#include "passes/plan/Adjust.h"
#include "tools/driver/Resources.h"
#include "tools/driver/Roofline.h"

#include <cstdlib>

using namespace tilewright;
using namespace tilewright::driver;

/// How long memory takes under load, in seconds: it stays busy with as many bytes under way as it
/// delivers in that time. On an H200, where that is 47 KB for an SM, layer_norm reaches 0.68 of the
/// best kernel with one program of 32 KB on an SM and 0.95 with five of 8 KB, rms_norm 0.99 with
/// six of 8 KB (bench/results/h200/rows.md).
static constexpr double kLoadedLatency = 1.3e-6;

/// Warps of an SM that have nothing to do while the threads of a block wait for each other, as they
/// are all of one block, or nearly. On an H100, a row of 131072 columns in clusters of 4 blocks
/// takes 0.95 of the time with 16 warps in place of 8 (rms_norm, and the gradient of softmax).
static constexpr int64_t kFewWarps = 8;
/// Warps of an SM that are few enough for smaller tiles.
static constexpr int64_t kFewForTiles = 23;

/// Warps of an SM for which registers are found if that is possible without spilling: while some
/// wait, others compute. On an H100, layer_norm with 131072 columns takes 0.85 of the time with 16
/// warps in place of 8, the gradient of softmax with 16384 columns 0.91 with 24 in place of 16,
/// dropout 0.88 with 32 in place of 20; on an H200, the gradient of geglu 0.94 with 20 in place of
/// 16. With rows in shared memory even 48: on an H200, layer_norm with 131072 columns takes 80 us
/// with 32 warps, and 73 with 48.
static constexpr int64_t kManyWarps[] = {48, 40, 32, 24, 20, 16}, kFewestOfMany = 16;
static constexpr int64_t kMostWithRows = 32; // if registers hold rows

/// Of a thread's registers, what must be left for this if they hold rows: ptxas does not find more
/// to save.
static constexpr double kLeastShare = 0.5;
/// The same for more warps than `kMostWithRows`, whose threads wait for each other in a reduction.
/// On an H200, layer_norm takes 0.98, 0.94 and 0.94 of the time so with 1024, 1536 and 2048
/// columns, cross_entropy of 32000 words 0.93; the gradient of gelu, which only computes, 1.015.
static constexpr double kLargeShare = 0.85;

/// Warps of an SM that are few for blocks that load ahead.
static constexpr int64_t kFewAhead = 15;

/// The share of warps that is better without than all of them with registers that are spilled. On
/// an H200, the gradient of a cross entropy of 128256 words takes 0.97 of the time so, of 32000
/// 0.96; that of softmax with 131072 columns 0.985.
static constexpr double kNearlyAll = 0.75;

/// Other configurations that are compiled at most.
static constexpr int64_t kMostTries = 3;

static int64_t bytesWanted(const Attempt &attempt) {
  const Peak *peak = findPeak("", attempt.config.passTarget());
  return peak ? int64_t(peak->bytes / double(peak->multiprocessors) * kLoadedLatency) : 0;
}

/// Of loads on an SM. A program that is alone there loads nothing while it computes and stores.
static int64_t bytesUnderWay(const Compiled &compiled, const Occupancy &occupancy) {
  return occupancy.programs == 1 ? compiled.loadedBytes / 2
                                 : occupancy.programs * compiled.loadedBytes;
}

/// Whether its rows are long enough to be shared by more blocks: a block has as many warps as it
/// may, and is alone on an SM. Blocks that wait for each other cost more than they bring otherwise:
/// layer_norm of 5120 columns has 0.89 of its speed with clusters of 2, and the gradient of
/// rms_norm with 16384 columns, which loads ahead, 0.73 with clusters of 4 in place of 2.
static bool isLong(const Compiled &compiled, const Occupancy &occupancy) {
  return !compiled.loadsAhead && occupancy.programs == 1 &&
         occupancy.threads >= passes::kMostWarps * kLanes;
}

static std::string ofBytes(int64_t bytes, int64_t more) {
  return std::to_string(bytes >> 10) +
         " KB of loads are under way, and memory is not busy; with smaller tiles there are " +
         std::to_string(more >> 10) + " KB";
}

static std::string ofWarps(int64_t warps, int64_t more) {
  return std::to_string(warps) + " warps compute; with fewer registers, smaller tiles or blocks " +
         "of more warps " + std::to_string(more) + " do";
}

static std::string ofBlocks(int64_t warps, int64_t fewer) {
  return std::to_string(warps) + " warps of a block wait for each other; with smaller blocks " +
         std::to_string(fewer) + " do, and others compute";
}

namespace {

/// Changes a kernel's configuration step by step. Each step is compiled, and kept if it is better.
class Improver {
public:
  using CompileWith = llvm::function_ref<ErrorOr<Compiled>(const Attempt &)>;

  Improver(const KernelText &text, CompileWith compileWith)
      : text(text), compileWith(compileWith) {}

  bool loadMore(Compiled &kernel, bool byTilesAlone);
  void fillSm(Compiled &kernel);
  void takeFewerRows(Compiled &kernel);
  void takeFewerElements(Compiled &kernel);
  bool takeIfRoom(Compiled &kernel, const Attempt &attempt, int64_t programs, int64_t rows = 0);
  void widen(Compiled &kernel);
  bool copyAhead(Compiled &kernel);
  void shareEvenly(Compiled &kernel);
  bool spreadRows(Compiled &kernel, bool forSharedMemory);

private:
  Occupancy occupancyOf(const Compiled &kernel) const {
    return resourcesOf(text, kernel).occupancy;
  }
  /// What improvements leave alone: what the user stated, and a tile that was made larger because
  /// rows are short (LargerTiles.h). The gradient of rms_norm with 128 columns takes 100 us with 16
  /// rows, 32 KB under way on an SM, and 112 with 4 rows, 43 KB.
  Attempt statedFor(const Compiled &kernel) const;
  /// What is better about another configuration.
  std::string gainOf(const Compiled &kernel, const Compiled &better) const;
  /// Replaces a kernel by a better one, and says why in terms of the first.
  void take(Compiled &kernel, Compiled better, const std::string &outcome);

  const KernelText &text;
  CompileWith compileWith;
};

} // namespace

static int64_t warpsOf(const Occupancy &occupancy) { return occupancy.threads / kLanes; }
static int64_t blockWarps(const Compiled &kernel) {
  return kernel.kernel.source().threads / kLanes;
}

Attempt Improver::statedFor(const Compiled &kernel) const {
  Attempt stated = kernel.wanted;
  for (const frontend::Param &param : text.signature().params) {
    if (param.kind != frontend::Param::Tune)
      continue;
    frontend::ConstValue now = kernel.attempt.tuneValue(param), first = stated.tuneValue(param);
    const int64_t *larger = std::get_if<int64_t>(&now), *extent = std::get_if<int64_t>(&first);
    if (larger && extent && *larger > *extent)
      stated.specialisation.consts[param.name] = now;
  }
  return stated;
}

std::string Improver::gainOf(const Compiled &kernel, const Compiled &better) const {
  int64_t warps = warpsOf(occupancyOf(kernel)), more = warpsOf(occupancyOf(better));
  return more > warps ? ofWarps(warps, more) : ofBlocks(blockWarps(kernel), blockWarps(better));
}

void Improver::take(Compiled &kernel, Compiled better, const std::string &outcome) {
  Occupancy occupancy = occupancyOf(kernel);
  std::string why = kernel.kernel.source().location + ": registers leave room for " +
                    std::to_string(occupancy.programs) +
                    (occupancy.programs == 1 ? " program on an SM" : " programs on an SM");
  std::vector<std::string> rejected = std::move(kernel.rejected);
  rejected.push_back(why + " (" + kernel.attempt.str(text.signature()) + "), so " + outcome);
  llvm::append_range(rejected, better.rejected);
  kernel = std::move(better);
  kernel.rejected = std::move(rejected);
}

/// Takes smaller tiles for more loads under way; or also more warps, or more blocks for a row. Says
/// whether it changed the kernel.
bool Improver::loadMore(Compiled &kernel, bool byTilesAlone) {
  int64_t wanted = bytesWanted(kernel.attempt);
  Attempt attempt = kernel.attempt;
  bool changed = false;
  for (int64_t tries = 0; tries < kMostTries; ++tries) {
    Occupancy now = occupancyOf(kernel);
    int64_t bytes = bytesUnderWay(kernel, now);
    bool wantsWarps = warpsOf(now) <= kFewWarps;
    if ((bytes >= wanted && !wantsWarps) || now.limit != "registers")
      return changed;
    std::optional<Attempt> next =
        nextAttempt(text.signature(), statedFor(kernel), attempt,
                    {Misfit::Memory, wantsWarps ? blockWarps(kernel) : 0});
    if (!next)
      return changed;
    bool spreads = next->config.cluster != attempt.config.cluster;
    if ((spreads && !isLong(kernel, now)) ||
        (byTilesAlone && (spreads || next->config.warps != attempt.config.warps)))
      return changed;
    attempt = *next;
    ErrorOr<Compiled> other = compileWith(attempt);
    if (other && spreads) // a cluster is judged with as many blocks as fit
      fillSm(*other);
    Occupancy others = other ? occupancyOf(*other) : Occupancy();
    int64_t moreBytes = other ? bytesUnderWay(*other, others) : 0;
    bool hasBytes = bytes < wanted && moreBytes * 4 >= bytes * 5;
    bool hasWarps = wantsWarps && warpsOf(others) > warpsOf(now);
    if (!hasBytes && !hasWarps)
      continue; // programs are whole: the next may fit better
    changed = true;
    take(kernel, std::move(*other),
         hasBytes ? ofBytes(bytes, moreBytes) : ofWarps(warpsOf(now), warpsOf(others)));
  }
  return changed;
}

/// Takes registers from threads for more blocks on an SM. A few may be spilled, unless nearly as
/// many blocks fit without. Blocks that load ahead have as many as they need: more of them make
/// more partial sums, and the gradient of rms_norm with 1024 columns takes 1.03 of the time with 5
/// in place of 4.
void Improver::fillSm(Compiled &kernel) {
  if (kernel.attempt.config.minBlocks || kernel.attempt.config.allowSpills || kernel.loadsAhead)
    return;
  Resources resources = resourcesOf(text, kernel);
  const Occupancy &now = resources.occupancy;
  if (now.limit != "registers")
    return;
  std::optional<Compiled> best;
  for (int64_t many : kManyWarps) {
    int64_t blocks = many / blockWarps(kernel);
    if (blocks <= now.programs ||
        (best && double(many) < kNearlyAll * double(warpsOf(occupancyOf(*best)))))
      break;
    int64_t left = Target::kRegistersPerSm / (blocks * kernel.kernel.source().threads);
    bool isMany = many > kMostWithRows;
    double least = isMany ? kLargeShare : kLeastShare;
    if (!kernel.holdsRows &&
        ((isMany && !kernel.reduces) || left < least * double(resources.registers)))
      continue;
    Attempt attempt = kernel.attempt;
    attempt.config.minBlocks = blocks;
    ErrorOr<Compiled> fuller = compileWith(attempt);
    if (!fuller || occupancyOf(*fuller).programs <= now.programs)
      continue;
    bool spills = resourcesOf(text, *fuller).localBytes > 0;
    if (!best || !spills)
      best = std::move(*fuller);
    if (!spills)
      break;
  }
  if (!best)
    return;
  std::string outcome = ofWarps(warpsOf(now), warpsOf(occupancyOf(*best)));
  take(kernel, std::move(*best), outcome);
}

/// Takes smaller tiles of a kernel that reduces rows, if an SM then has half as many warps again in
/// place of few. On an H200, the gradient of softmax takes 0.83, 0.94, 0.92, 0.90 and 0.93 of the
/// time so with 3584, 5120, 5376, 6144 and 7168 columns, rms_norm 0.95 with 7168, softmax 0.96 with
/// 12288; but from 24 warps on, the gradient of softmax takes 1.02 with 4096, layer_norm 1.13 with
/// 4608. Or if an SM has as many warps in place of large blocks, whose threads all wait for each
/// other: layer_norm takes 0.88 and 0.92 with 2304 and 2560 columns, rms_norm 0.94.
void Improver::takeFewerRows(Compiled &kernel) {
  if (!kernel.reduces || kernel.loadsAhead || kernel.wanted.config.minBlocks)
    return;
  int64_t warps = warpsOf(occupancyOf(kernel));
  bool isLarge = blockWarps(kernel) > passes::kMostWarps;
  if (warps > kFewForTiles && !isLarge)
    return;
  std::optional<Attempt> next =
      nextAttempt(text.signature(), statedFor(kernel), kernel.attempt, {Misfit::Memory, 0});
  if (!next || next->config.cluster != kernel.attempt.config.cluster)
    return;
  next->config.minBlocks = 0; // found anew
  ErrorOr<Compiled> fewer = compileWith(*next);
  if (!fewer)
    return;
  fillSm(*fewer);
  int64_t others = warpsOf(occupancyOf(*fewer));
  if (2 * others < 3 * warps && (!isLarge || others < warps))
    return;
  std::string outcome = gainOf(kernel, *fewer);
  take(kernel, std::move(*fewer), outcome);
}

/// Takes smaller tiles of a kernel that reduces nothing, in blocks of as many warps, if an SM then
/// has twice as many warps in place of few, and nothing is spilled. On an H200, the gradient of
/// geglu takes 0.975 of the time so, 0.99 with the approximation; but from 32 warps on that of gelu
/// takes 1.01 to 1.08.
void Improver::takeFewerElements(Compiled &kernel) {
  int64_t warps = warpsOf(occupancyOf(kernel));
  if (kernel.reduces || kernel.loadsAhead || kernel.wanted.config.minBlocks || warps > kFewForTiles)
    return;
  std::optional<Attempt> next = nextAttempt(text.signature(), statedFor(kernel), kernel.attempt,
                                            {Misfit::Memory, blockWarps(kernel)});
  if (!next || next->config.cluster != kernel.attempt.config.cluster)
    return;
  next->config.warps = blockWarps(kernel);
  next->config.minBlocks = llvm::divideCeil(2 * warps, blockWarps(kernel));
  ErrorOr<Compiled> fewer = compileWith(*next);
  if (!fewer || resourcesOf(text, *fewer).localBytes > 0 ||
      warpsOf(occupancyOf(*fewer)) < 2 * warps)
    return;
  std::string outcome = gainOf(kernel, *fewer);
  take(kernel, std::move(*fewer), outcome);
}

/// Takes another configuration of a kernel that loads ahead, if so many programs then share an SM,
/// of so many rows if that is stated. Says whether it does.
bool Improver::takeIfRoom(Compiled &kernel, const Attempt &attempt, int64_t programs,
                          int64_t rows) {
  ErrorOr<Compiled> other = compileWith(attempt);
  if (!other || !other->loadsAhead || occupancyOf(*other).programs < programs ||
      (rows && other->rowLoop.rows != rows))
    return false;
  std::string outcome = gainOf(kernel, *other);
  take(kernel, std::move(*other), outcome);
  return true;
}

/// Gives blocks that load ahead twice as many warps, with as many blocks on an SM, if nothing is
/// spilled. Where a program reduces its rows once, other warps compute meanwhile: on an H200, the
/// gradient of rms_norm takes 0.985 and 0.995 of the time with 1024 and 4096 columns, but 1.04 in
/// 32 warps with 8192. What reduces them twice takes longer, the gradient of layer_norm 1.13 with
/// 1024 columns; rows with masks stay as they are. The next row is copied, which takes no
/// registers: 0.993 with 4096 columns.
void Improver::widen(Compiled &kernel) {
  const Config &wanted = kernel.wanted.config;
  if (!kernel.loadsAhead || kernel.rowLoop.reductions != 1 || kernel.rowLoop.masksColumns ||
      kernel.attempt.config.cluster > 1 || wanted.warps || wanted.minBlocks || wanted.allowSpills ||
      2 * blockWarps(kernel) > passes::kMostWarpsOfRows)
    return;
  Attempt attempt = kernel.attempt;
  attempt.config.warps = 2 * blockWarps(kernel);
  attempt.config.minBlocks = occupancyOf(kernel).programs;
  if (!wanted.stages)
    attempt.config.stages = passes::kStagesOfCopies;
  takeIfRoom(kernel, attempt, attempt.config.minBlocks);
}

/// Lets blocks that load ahead copy the next row to shared memory in place of registers, if another
/// block then has room. With few warps on an SM, the same blocks, or two of half as many warps in
/// place of one. On an H200, the gradient of rms_norm takes 0.94, 0.88, 0.92, 0.96, 0.85, 0.90 and
/// 0.93 of the time so with 2304, 2880, 3072, 3584, 5120, 6144 and 6656 columns, that of layer_norm
/// 0.96, 0.92, 0.88 and 0.95 with 2560, 3072, 5120 and 7168; but 1.03 with 4096, with 24 warps in
/// place of 16. With more warps, blocks of half as many for half the rows: both take 0.98 with 2048
/// columns, but 1.03 and 1.014 in blocks of two warps with 1024. Says whether it does.
bool Improver::copyAhead(Compiled &kernel) {
  constexpr int64_t kFewestOfBlock = 4;
  const Config &wanted = kernel.wanted.config;
  Occupancy now = occupancyOf(kernel);
  if (!kernel.loadsAhead || wanted.stages || wanted.minBlocks || wanted.allowSpills ||
      kernel.attempt.config.cluster > 1)
    return false;
  int64_t half = blockWarps(kernel) % 2 == 0 && !wanted.warps ? blockWarps(kernel) / 2 : 0;
  auto copies = [&](Attempt attempt, int64_t warps, int64_t blocks) {
    attempt.config.stages = passes::kStagesOfCopies;
    attempt.config.minBlocks = blocks;
    if (warps)
      attempt.config.warps = warps;
    return takeIfRoom(kernel, attempt, blocks);
  };
  if (warpsOf(now) <= kFewAhead)
    return copies(kernel.attempt, 0, now.programs + 1) ||
           (now.programs == 1 && half && copies(kernel.attempt, half, 2));
  std::optional<Attempt> fewer =
      nextAttempt(text.signature(), statedFor(kernel), kernel.attempt, {Misfit::Memory, 0});
  return fewer && fewer->config.cluster == kernel.attempt.config.cluster &&
         half >= kFewestOfBlock && copies(*fewer, half, 2 * now.programs + 1);
}

/// Gives a thread of blocks that load ahead as many elements as its registers hold, and each of the
/// SM's schedulers as many warps: 16 warps of an SM with 32 elements in a thread, 12 with 24 or 32,
/// or 8 with up to 56. Masks take registers: with them never 16, but 8 with 64. That is for rows
/// that are reduced twice or more in an iteration, for which threads wait that often, unless they
/// hold 32 elements already; and for few warps whose number is no multiple of 4. Microseconds on an
/// H200, 67.1 million elements (bench/results/h200/rows_shared.json):
///
///   columns                  2304   4608   5376   9216   13824  20480  27648  50304  100352
///   gradient of layer_norm   116.1  120.4  123.2  129.0  137.8  135.2  151.6  183.7  235.6
///                            103.7  105.0  105.7  107.5  106.4  105.5  108.2  129.3  138.1
void Improver::shareEvenly(Compiled &kernel) {
  constexpr int64_t kSchedulers = 4, kEnoughHeld = 32;
  const Config &wanted = kernel.wanted.config;
  const RowLoop &loop = kernel.rowLoop;
  if (!kernel.loadsAhead || loop.reductions == 0 || wanted.warps || wanted.stages ||
      wanted.minBlocks || wanted.allowSpills)
    return;
  int64_t warps = warpsOf(occupancyOf(kernel));
  bool isUneven = warps % kSchedulers != 0;
  int64_t held = loop.rows * loop.columns / (blockWarps(kernel) * kLanes);
  bool isShared = loop.reductions > 1 ? !isUneven && !loop.masksColumns && held >= kEnoughHeld
                                      : !isUneven || warps > kFewAhead;
  if (isShared)
    return;
  Attempt attempt = kernel.attempt;
  for (int64_t rows = loop.rows; rows > 1; rows /= 2) {
    std::optional<Attempt> fewer =
        nextAttempt(text.signature(), statedFor(kernel), attempt, {Misfit::Memory, 0});
    if (!fewer || fewer->config.cluster != attempt.config.cluster)
      return;
    attempt = *fewer;
  }
  attempt.config.stages = passes::kStagesOfCopies;
  attempt.config.allowSpills = false;
  auto takes = [&](int64_t columns, int64_t elements, int64_t ofSm) {
    auto [block, rest] = std::div(columns, elements * kLanes);
    if (rest || block == 0 || ofSm % block)
      return false;
    attempt.config.warps = block;
    attempt.config.minBlocks = ofSm / block;
    return takeIfRoom(kernel, attempt, attempt.config.minBlocks, /*rows=*/1);
  };
  // Perhaps in half as many blocks of a cluster: what spilled in more warps may not do so now.
  int64_t cluster = std::max<int64_t>(kernel.attempt.config.cluster, 1);
  for (int64_t blocks : {cluster / 2, cluster}) {
    if (blocks == 0 || (wanted.cluster && blocks < cluster))
      continue;
    int64_t columns = loop.columns * cluster / blocks;
    if (cluster > 1)
      attempt.config.cluster = blocks;
    if (!loop.masksColumns && takes(columns, 32, /*ofSm=*/16))
      return;
    for (int64_t elements : {24, 32})
      if (takes(columns, elements, /*ofSm=*/12))
        return;
    for (int64_t elements : {40, 48, 56, 64})
      if ((elements < 64 || loop.masksColumns) && takes(columns, elements, /*ofSm=*/8))
        return;
  }
}

/// Shares rows out to twice as many blocks if an SM then has two blocks in place of one, or twice
/// as many warps. On an H100, log_softmax with 32768 columns takes 0.95 of the time so. Or only if
/// the rows then wait in shared memory. Says whether it changed the kernel.
bool Improver::spreadRows(Compiled &kernel, bool forSharedMemory) {
  Occupancy now = occupancyOf(kernel);
  if (warpsOf(now) > kFewestOfMany || kernel.loadsAhead || blockWarps(kernel) < passes::kMostWarps)
    return false;
  std::optional<Attempt> next =
      nextAttempt(text.signature(), statedFor(kernel), kernel.attempt, {Misfit::Memory, 0});
  if (!next || next->config.cluster == kernel.attempt.config.cluster)
    return false;
  ErrorOr<Compiled> spread = compileWith(*next);
  if (!spread || (forSharedMemory && !spread->holdsRows))
    return false;
  fillSm(*spread);
  Occupancy others = occupancyOf(*spread);
  // Of two blocks one computes while the threads of the other wait.
  if (others.programs <= now.programs ||
      others.threads < now.threads * std::min<int64_t>(now.programs, 2))
    return false;
  take(kernel, std::move(*spread),
       ofWarps(warpsOf(now), warpsOf(others)) + ", of " + std::to_string(others.programs) +
           " blocks");
  return true;
}

void driver::keepMemoryBusy(const KernelText &text, Compiled &result,
                            llvm::function_ref<ErrorOr<Compiled>(const Attempt &)> compileWith) {
  if (!result.loadedBytes || !result.wanted.config.cudaText.empty())
    return;
  Improver improver(text, compileWith);
  improver.loadMore(result, /*byTilesAlone=*/true);
  improver.fillSm(result);
  improver.takeFewerRows(result);
  improver.takeFewerElements(result);
  if (improver.loadMore(result, /*byTilesAlone=*/false))
    improver.fillSm(result);
  if (improver.spreadRows(result, /*forSharedMemory=*/false))
    improver.spreadRows(result, /*forSharedMemory=*/true);
  if (!improver.copyAhead(result))
    improver.widen(result);
  improver.shareEvenly(result);
}
