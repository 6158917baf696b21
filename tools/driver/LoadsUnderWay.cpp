#include "tools/driver/LoadsUnderWay.h"

#include "ir/Layout.h"
#include "passes/plan/Adjust.h"
#include "tools/driver/Resources.h"
#include "tools/driver/Roofline.h"

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

static std::string reason(const KernelText &text, const Compiled &compiled,
                          const Occupancy &occupancy, const std::string &outcome) {
  return compiled.kernel.source().location + ": registers leave room for " +
         std::to_string(occupancy.programs) +
         (occupancy.programs == 1 ? " program on an SM (" : " programs on an SM (") +
         compiled.attempt.str(text.signature()) + "), so " + outcome;
}

static std::string ofBytes(int64_t bytes, int64_t more) {
  return std::to_string(bytes >> 10) +
         " KB of loads are under way, and memory is not busy; with smaller tiles there are " +
         std::to_string(more >> 10) + " KB";
}

static std::string ofWarps(int64_t warps, int64_t more) {
  return std::to_string(warps) + " warps compute; with smaller tiles or blocks of more warps " +
         std::to_string(more) + " do";
}

void driver::keepMemoryBusy(const KernelText &text, Compiled &result,
                            llvm::function_ref<ErrorOr<Compiled>(const Attempt &)> compileWith) {
  int64_t wanted = bytesWanted(result.attempt);
  Attempt attempt = result.attempt;
  for (int64_t tries = 0; tries < kMostTries; ++tries) {
    Occupancy occupancy = resourcesOf(text, result).occupancy;
    int64_t bytes = bytesUnderWay(result, occupancy);
    int64_t warps = occupancy.threads / kLanes;
    bool wantsWarps = warps <= kFewWarps;
    if (bytes == 0 || (bytes >= wanted && !wantsWarps) || occupancy.limit != "registers")
      return;
    int64_t blockWarps = wantsWarps ? result.kernel.source().threads / kLanes : 0;
    std::optional<Attempt> next =
        nextAttempt(text.signature(), result.wanted, attempt, {Misfit::Memory, blockWarps});
    if (!next || (next->config.cluster != attempt.config.cluster && !isLong(result, occupancy)))
      return;
    attempt = *next;
    ErrorOr<Compiled> other = compileWith(attempt);
    Occupancy others = other ? resourcesOf(text, *other).occupancy : Occupancy();
    int64_t moreBytes = other ? bytesUnderWay(*other, others) : 0;
    int64_t moreWarps = others.threads / kLanes;
    bool hasBytes = bytes < wanted && moreBytes * 4 >= bytes * 5;
    bool hasWarps = wantsWarps && moreWarps > warps;
    if (!hasBytes && !hasWarps)
      continue; // programs are whole: the next may fit better
    other->rejected = std::move(result.rejected);
    other->rejected.push_back(reason(
        text, result, occupancy, hasBytes ? ofBytes(bytes, moreBytes) : ofWarps(warps, moreWarps)));
    result = std::move(*other);
  }
}
