#include "tools/tilewright/Trials.h"

#include "support/Files.h"
#include "tools/fuzz/Session.h"
#include "tools/fuzz/Shrink.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <fmt/format.h>
#include <map>
#include <thread>

using namespace tilewright;
using namespace tilewright::cli;
using fuzz::Choices;
using fuzz::Finding;

namespace {

/// What has become of many inputs.
struct Tally {
  size_t ran = 0, refused = 0;
  std::map<std::string, size_t> reasons;            ///< Of refusals.
  std::vector<std::pair<uint64_t, Finding>> faults; ///< By seeds.
};

/// A fault, and the choices that show it.
struct Smallest {
  Finding finding;
  std::vector<uint32_t> choices;
};

} // namespace

static Tally checkSeeds(const Trials &trials, const FuzzOptions &options) {
  auto check = [&](size_t at) {
    Choices choices(options.seed + at);
    return trials.check(choices);
  };
  fuzz::Findings findings = fuzz::checkIsolated(options.count, check, trials.isolate);
  Tally tally;
  for (auto [at, finding] : llvm::enumerate(findings))
    if (!finding)
      ++tally.ran;
    else if (finding->stage != fuzz::kRefused)
      tally.faults.emplace_back(options.seed + at, *finding);
    else if (++tally.refused && trials.tellsReasons)
      ++tally.reasons[fuzz::kindOf(*finding)];
  return tally;
}

/// The same fault with a simpler input.
static Smallest shrunk(const Trials &trials, uint64_t seed, const Finding &finding) {
  constexpr size_t kAttempts = 150;
  auto checkAlone = [&](Choices &choices) {
    return fuzz::checkIsolated(
               1, [&](size_t) { return trials.check(choices); }, trials.isolate)
        .front();
  };
  auto stillFails = [&](Choices &choices) {
    // A copy tells how far the choices are read: the check itself runs in another process.
    std::ignore = trials.show(choices);
    Choices again(choices.taken());
    std::optional<Finding> found = checkAlone(again);
    return found && fuzz::kindOf(*found) == fuzz::kindOf(finding);
  };
  Choices choices(seed);
  std::ignore = trials.show(choices);
  std::vector<uint32_t> smallest = fuzz::shrink(choices.taken(), stillFails, kAttempts);
  Choices again(smallest);
  return {checkAlone(again).value_or(finding), smallest};
}

static Status report(const Trials &trials, uint64_t seed, const Smallest &smallest,
                     const std::string &folder) {
  const Finding &finding = smallest.finding;
  fmt::print("seed {}: {}: {}\n", seed, finding.stage, finding.message);
  Choices choices(smallest.choices);
  std::string saved = folder.empty() ? "" : trials.saved(finding, choices);
  if (saved.empty())
    return {};
  std::string path = fmt::format("{}/seed-{}{}", folder, seed, trials.ending);
  TILEWRIGHT_TRY(writeFileAtomic(path, saved));
  fmt::print("saved as {}\n\n", path);
  return {};
}

static Status reportAll(const Trials &trials, const Tally &tally, const FuzzOptions &options) {
  constexpr size_t kMostShrunk = 10;
  std::map<std::string, size_t> kinds;
  for (const auto &[seed, finding] : tally.faults)
    if (kinds[fuzz::kindOf(finding)]++ == 0 && kinds.size() <= kMostShrunk)
      TILEWRIGHT_TRY(report(trials, seed, shrunk(trials, seed, finding), options.save));
  for (const auto *counts : {&tally.reasons, &std::as_const(kinds)})
    for (const auto &[kind, count] : *counts)
      fmt::print("{:5} times {}\n", count, kind);
  return {};
}

static Status showAll(const Trials &trials, const FuzzOptions &options) {
  for (uint64_t at = 0; at < options.count; ++at) {
    Choices choices(options.seed + at);
    TILEWRIGHT_ASSIGN(std::string text, trials.show(choices));
    fmt::print("{}\n", text);
  }
  return {};
}

Status cli::runTrials(Trials trials, const FuzzOptions &options) {
  if (options.print)
    return showAll(trials, options);
  trials.isolate.jobs =
      options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  trials.isolate.harmless = fuzz::kRefused;
  auto start = std::chrono::steady_clock::now();
  Tally tally = checkSeeds(trials, options);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  TILEWRIGHT_TRY(reportAll(trials, tally, options));
  fmt::print("{} {}, seeds {} to {}: {} ran, {} refused, {} findings, {:.1f} s\n", options.count,
             trials.what, options.seed, options.seed + options.count - 1, tally.ran, tally.refused,
             tally.faults.size(), seconds);
  return tally.faults.empty()
             ? Status()
             : Error{
                   fmt::format("the {} above are not carried out as they should be", trials.what)};
}
