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

/// Smaller tiles that are compiled at most.
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
/// may, and computes while it waits for memory. (A program that loads ahead does so anyway, and
/// blocks that wait for each other cost it more: the gradient of rms_norm with 16384 columns has
/// 0.73 of its speed with clusters of 4 in place of 2.)
static bool isLong(const Compiled &compiled) {
  return !compiled.loadsAhead && compiled.kernel.source().threads >= passes::kMostWarps * kLanes;
}

static std::string reason(const KernelText &text, const Compiled &compiled,
                          const Occupancy &occupancy, int64_t bytes, int64_t more) {
  return compiled.kernel.source().location + ": registers leave room for " +
         std::to_string(occupancy.programs) +
         (occupancy.programs == 1 ? " program on an SM (" : " programs on an SM (") +
         compiled.attempt.str(text.signature()) + "), so " + std::to_string(bytes >> 10) +
         " KB of loads are under way, and memory is not busy; with smaller tiles there are " +
         std::to_string(more >> 10) + " KB";
}

void driver::keepMemoryBusy(const KernelText &text, Compiled &result,
                            llvm::function_ref<ErrorOr<Compiled>(const Attempt &)> compileWith) {
  int64_t wanted = bytesWanted(result.attempt);
  Attempt attempt = result.attempt;
  for (int64_t tries = 0; tries < kMostTries; ++tries) {
    Occupancy occupancy = resourcesOf(text, result).occupancy;
    int64_t bytes = bytesUnderWay(result, occupancy);
    if (bytes == 0 || bytes >= wanted || occupancy.limit != "registers")
      return;
    std::optional<Attempt> next =
        nextAttempt(text.signature(), result.wanted, attempt, {Misfit::Memory, 0});
    if (!next || (next->config.cluster != attempt.config.cluster && !isLong(result)))
      return;
    attempt = *next;
    ErrorOr<Compiled> other = compileWith(attempt);
    int64_t more = other ? bytesUnderWay(*other, resourcesOf(text, *other).occupancy) : 0;
    if (more * 4 < bytes * 5)
      continue; // programs are whole: the next may fit better
    other->rejected = std::move(result.rejected);
    other->rejected.push_back(reason(text, result, occupancy, bytes, more));
    result = std::move(*other);
  }
}
