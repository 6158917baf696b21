// `tilewright fuzz --plans`: random plans, each refused with a reason, or right.
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/PlanCase.h"

#include "support/Files.h"
#include "tools/fuzz/Isolate.h"
#include "tools/fuzz/Session.h"
#include "tools/fuzz/Shrink.h"

#include <chrono>
#include <fmt/format.h>
#include <thread>

using namespace tilewright;
using namespace tilewright::cli;
using fuzz::Choices;
using fuzz::Finding;

namespace {

/// What has become of many plans.
struct Tally {
  size_t ran = 0, refused = 0;
  std::map<std::string, size_t> reasons;            ///< Of refusals.
  std::vector<std::pair<uint64_t, Finding>> faults; ///< By seeds.
};

using Subjects = std::vector<PlanSubject>;

} // namespace

static std::optional<Finding> drawAndCheck(Choices &choices, const Subjects &subjects) {
  ErrorOr<PlanCase> test = PlanCase::draw(choices, subjects);
  return test ? checkPlan(*test) : std::optional(Finding{"drawing", test.error().message});
}

static Tally checkSeeds(const FuzzOptions &options, const Subjects &subjects) {
  fuzz::IsolateOptions isolate;
  isolate.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  auto check = [&](size_t at) {
    Choices choices(options.seed + at);
    return drawAndCheck(choices, subjects);
  };
  fuzz::Findings findings = fuzz::checkIsolated(options.count, check, isolate);
  Tally tally;
  for (auto [at, finding] : llvm::enumerate(findings))
    if (!finding)
      ++tally.ran;
    else if (finding->stage != kRefused)
      tally.faults.emplace_back(options.seed + at, *finding);
    else if (++tally.refused)
      ++tally.reasons[fuzz::kindOf(*finding)];
  return tally;
}

/// The same fault with a simpler plan.
static Finding shrunk(uint64_t seed, Finding finding, const Subjects &subjects) {
  constexpr size_t kAttempts = 150;
  auto check = [&](Choices &choices) {
    return fuzz::checkIsolated(1, [&](size_t) { return drawAndCheck(choices, subjects); }).front();
  };
  auto stillFails = [&](Choices &choices) {
    // A copy tells how far the choices are read: the check itself runs in another process.
    std::ignore = PlanCase::draw(choices, subjects);
    Choices again(choices.taken());
    std::optional<Finding> found = check(again);
    return found && fuzz::kindOf(*found) == fuzz::kindOf(finding);
  };
  Choices choices(seed);
  std::ignore = PlanCase::draw(choices, subjects);
  Choices smallest(fuzz::shrink(choices.taken(), stillFails, kAttempts));
  return check(smallest).value_or(finding);
}

static Status report(uint64_t seed, const Finding &finding, const FuzzOptions &options) {
  fmt::print("seed {}: {}: {}\n", seed, finding.stage, finding.message);
  if (options.save.empty())
    return {};
  // The plan is the end of the message; what stands before it is a comment.
  size_t plan = finding.message.find("\nplan ");
  if (plan == std::string::npos)
    return {};
  std::string path = fmt::format("{}/seed-{}.plan", options.save, seed);
  TILEWRIGHT_TRY(writeFileAtomic(path, finding.message.substr(plan + 1)));
  fmt::print("saved as {}\n\n", path);
  return {};
}

static Status reportAll(const Tally &tally, const FuzzOptions &options, const Subjects &subjects) {
  constexpr size_t kMostShrunk = 10;
  std::map<std::string, size_t> kinds;
  for (const auto &[seed, finding] : tally.faults)
    if (kinds[fuzz::kindOf(finding)]++ == 0 && kinds.size() <= kMostShrunk)
      TILEWRIGHT_TRY(report(seed, shrunk(seed, finding, subjects), options));
  for (const auto *counts : {&tally.reasons, &std::as_const(kinds)})
    for (const auto &[kind, count] : *counts)
      fmt::print("{:5} times {}\n", count, kind);
  return {};
}

static Status print(const FuzzOptions &options, const Subjects &subjects) {
  for (uint64_t at = 0; at < options.count; ++at) {
    Choices choices(options.seed + at);
    TILEWRIGHT_ASSIGN(PlanCase test, PlanCase::draw(choices, subjects));
    fmt::print("{}\n", test.str(test.sizesOf(test.iterations().front())));
  }
  return {};
}

Status cli::fuzzPlans(const FuzzOptions &options) {
  TILEWRIGHT_ASSIGN(Subjects subjects, readSubjects(options.plans));
  if (options.print)
    return print(options, subjects);
  auto start = std::chrono::steady_clock::now();
  Tally tally = checkSeeds(options, subjects);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  TILEWRIGHT_TRY(reportAll(tally, options, subjects));
  fmt::print("{} plans, seeds {} to {}: {} ran, {} refused, {} findings, {:.1f} s\n", options.count,
             options.seed, options.seed + options.count - 1, tally.ran, tally.refused,
             tally.faults.size(), seconds);
  return tally.faults.empty() ? Status()
                              : Error{"the plans above are not carried out as they should be"};
}
