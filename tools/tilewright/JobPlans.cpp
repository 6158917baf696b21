// The plan that a user gives: a file for a kernel of the language, a name for a program with
// several.
#include "tools/tilewright/Job.h"

#include "frontend/Source.h"
#include "passes/plan/Plan.h"
#include "support/Files.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::cli;
using llvm::StringRef;

/// A plan that a file states, with its extents of tiles.
static Status readPlan(Job &job, const KernelArgs &args) {
  TILEWRIGHT_ASSIGN(job.config.planText, readFile(args.plan));
  TILEWRIGHT_ASSIGN(passes::Plan plan, passes::Plan::parse(job.config.planText, args.plan));
  Step &step = job.steps.front();
  if (job.steps.size() != 1 || plan.kernel != step.signature().name)
    return Error{args.plan + ": is a plan of kernel `" + plan.kernel + "`, not of `" + job.name +
                 "`"};
  for (const passes::Plan::Tile &tile : plan.tiles) {
    const frontend::Param *param = step.signature().param(tile.parameter);
    if (!param || param->kind != frontend::Param::Tune)
      return Error{args.plan + ": kernel `" + plan.kernel + "` has no tile extent `" +
                   tile.parameter + "`"};
    step.settings.emplace_back(tile.parameter, tile.extent);
  }
  return {};
}

Status cli::bindPlan(Job &job, const KernelArgs &args) {
  const std::string &wanted = args.plan;
  Step &step = job.steps.front();
  const runtime::PlanChoice &plans = step.text->plans;
  if (wanted.empty() && plans.size() > 1 && !args.cuda.empty())
    return Error{"kernel `" + job.name + "` has " + std::to_string(plans.size()) +
                 " plans, and `--cuda` replaces the text of one: add `--plan " + plans.name(0) +
                 "`"};
  if (wanted.empty())
    return {};
  if (!step.text->isCta())
    return readPlan(job, args);
  if (plans.size() == 1 || job.steps.size() > 1)
    return Error{"kernel `" + job.name + "` has one plan; `--plan` names one of several"};
  std::vector<StringRef> names;
  for (size_t plan = 0; plan < plans.size(); ++plan) {
    names.push_back(plans.name(plan));
    if (plans.name(plan) == wanted)
      step.plan = plan;
  }
  if (!step.plan)
    return Error{"kernel `" + job.name + "` has no plan `" + wanted + "`" +
                 frontend::suggest(wanted, names) + "; it has `" + llvm::join(names, "`, `") + "`"};
  return {};
}
