// `tilewright plans`: the planner's plans, by predicted time.
#include "tools/tilewright/Commands.h"

#include "planner/Say.h"
#include "support/Files.h"
#include "tools/driver/PlanSearch.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

Status cli::plans(const PlansOptions &options) {
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  const Step &step = job.steps.front();
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, openAttempt(job, step, job.sizes));
  driver::PlanSearch search(step.text, wanted);
  std::vector<planner::Ranked> ranked = search.rank(launchFor(job, step, job.sizes));
  if (!options.output.empty())
    TILEWRIGHT_TRY(createDirectories(options.output));
  fmt::print("{:>10} {:>9} {:>10} {:>8} {:>8} {:>8} {:>6}\n", "us", "products", "arithmetic", "l2",
             "dram", "epilogue", "busy");
  for (size_t at = 0; at < std::min(options.count, ranked.size()); ++at) {
    const auto &[plan, predicted] = ranked[at];
    fmt::print("{:10.1f} {:9.1f} {:10.1f} {:8.1f} {:8.1f} {:8.1f} {:6.2f}  {}\n", predicted.total,
               predicted.products, predicted.arithmetic, predicted.l2, predicted.dram,
               predicted.ends, predicted.balance, planner::titleOf(plan));
    if (!options.output.empty())
      TILEWRIGHT_TRY(writeFileAtomic(fmt::format("{}/{:03}.plan", options.output, at), plan.str()));
  }
  for (const std::string &reason : search.refused())
    fmt::print("refused: {}\n", reason);
  return {};
}
