#include "tools/tilewright/ShortExplain.h"

#include "planner/Say.h"

#include "llvm/ADT/MapVector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

using namespace tilewright;
using namespace tilewright::cli;

static constexpr size_t kLines = 24, kColumns = 100, kOtherPlans = 3;

using Lines = std::vector<std::string>;

/// The sections of a plan, without its first line.
static void addPlan(const std::string &plan, Lines &lines) {
  llvm::StringRef rest = llvm::StringRef(plan).split('\n').second;
  for (; !rest.empty(); rest = rest.split('\n').second)
    lines.push_back(rest.split('\n').first.str());
}

/// The time of the plan, and of the best that lost.
static void addTimes(const Job &job, const Step &step, const driver::Attempt &attempt,
                     Lines &lines) {
  ErrorOr<passes::Plan> plan = passes::Plan::parse(attempt.config.planText);
  if (!plan)
    return;
  driver::PlanSearch search(step.text, attempt.withoutPlan());
  planner::Launch launch = launchFor(job, step, job.sizes);
  if (std::optional<planner::Prediction> own = search.predictFor(*plan, launch))
    lines.push_back("  time      " + planner::str(*own));
  std::vector<std::string> titles = {planner::titleOf(*plan)};
  for (const planner::Ranked &other : search.rank(launch)) {
    std::string title = planner::titleOf(other.plan);
    if (titles.size() > kOtherPlans || llvm::is_contained(titles, title))
      continue;
    lines.push_back(fmt::format("  not       {:.1f} us: {}", other.predicted.total, title));
    titles.push_back(std::move(title));
  }
}

/// What the passes say, with the lines of the kernel that it is about.
static void addRemarks(const std::vector<driver::Remark> &remarks, Lines &lines) {
  llvm::MapVector<llvm::StringRef, std::set<unsigned>> places;
  for (const driver::Remark &remark : remarks)
    places[remark.text].insert(remark.line);
  for (const auto &[text, of] : places)
    lines.push_back(fmt::format("  {:9} {}", fmt::format("{}", fmt::join(of, ",")), text.str()));
}

/// The lines that fit on a screen.
static std::string screenOf(Lines lines) {
  if (lines.size() > kLines) {
    size_t left = lines.size() - kLines + 1;
    lines.resize(kLines - 1);
    lines.push_back(fmt::format("  … and {} more, without `--short`", left));
  }
  std::string text;
  for (const std::string &line : lines)
    text += (line.size() > kColumns ? line.substr(0, kColumns - 1) + "…" : line) + "\n";
  return text;
}

ErrorOr<std::string> cli::explainShortly(const Job &job, const Step &step,
                                         const driver::Attempt &attempt) {
  std::vector<std::string> rejected;
  TILEWRIGHT_ASSIGN(driver::Translated translated,
                    driver::translateFitting(step.text, attempt, &rejected));
  const driver::Attempt &chosen = translated.attempt;
  std::string config = chosen.str(step.text->signature());
  Lines lines = {fmt::format("{}{} on {}: {} threads, {} bytes of shared memory", step.text->kernel,
                             config.empty() ? "" : " (" + config + ")", chosen.config.target,
                             translated.source.threads, translated.source.sharedBytes)};
  addPlan(chosen.config.planText, lines);
  addTimes(job, step, chosen, lines);
  for (const std::string &reason : rejected)
    lines.push_back("  rejected  " + reason);
  addRemarks(translated.remarks, lines);
  return screenOf(std::move(lines));
}
