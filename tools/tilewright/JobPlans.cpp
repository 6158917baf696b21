// The plan that a user gives: a file and entries for a kernel of the language, a name for a program
// with several.
#include "tools/tilewright/Job.h"

#include "frontend/Source.h"
#include "support/Files.h"
#include "tools/driver/GivenPlan.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::cli;
using llvm::StringRef;

/// The plan of a file, with the entries after it put in place.
static Status readPlan(Job &job, llvm::ArrayRef<std::string> words) {
  const std::string &file = words.front();
  if (file == driver::kNoPlan) {
    job.config.findsPlan = false;
    return {};
  }
  if (job.steps.size() != 1)
    return Error{"`" + job.name + "` is a sequence of " + std::to_string(job.steps.size()) +
                 " kernels, and a plan is of one: take that one, as `file.py:kernel`"};
  ErrorOr<std::string> text = readFile(file);
  if (!text && !StringRef(file).contains(':')) // which an entry has
    return text.error();
  return driver::statePlan(job.config, text ? *text : file, words.drop_front(), file);
}

/// The plan of a program, by its name.
static Status findPlan(Job &job, llvm::ArrayRef<std::string> words) {
  Step &step = job.steps.front();
  const runtime::PlanChoice &plans = step.text->plans;
  if (plans.size() == 1 || job.steps.size() > 1)
    return Error{"kernel `" + job.name + "` has one plan; `--plan` names one of several"};
  if (words.size() > 1)
    return Error{"kernel `" + job.name +
                 "` is a program of the `cta` level; `--plan` names one of "
                 "its plans, and `" +
                 words[1] + "` is besides"};
  const std::string &wanted = words.front();
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

Status cli::bindPlan(Job &job, const KernelArgs &args) {
  const driver::KernelText &text = *job.steps.front().text;
  if (!args.plan.empty())
    return text.isCta() ? findPlan(job, args.plan) : readPlan(job, args.plan);
  if (text.plans.size() > 1 && !args.cuda.empty())
    return Error{"kernel `" + job.name + "` has " + std::to_string(text.plans.size()) +
                 " plans, and `--cuda` replaces the text of one: add `--plan " +
                 text.plans.name(0) + "`"};
  return {};
}
