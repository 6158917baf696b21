// `tilewright fuzz --plans`: random plans, each refused with a reason, or right.
#include "tools/tilewright/PlanCase.h"
#include "tools/tilewright/Trials.h"

using namespace tilewright;
using namespace tilewright::cli;
using fuzz::Choices;
using fuzz::Finding;

/// The plan is the end of the message.
static std::string planIn(const Finding &finding) {
  size_t plan = finding.message.find("\nplan ");
  return plan == std::string::npos ? "" : finding.message.substr(plan + 1);
}

Status cli::fuzzPlans(const FuzzOptions &options) {
  TILEWRIGHT_ASSIGN(std::vector<PlanSubject> subjects, readSubjects(options.plans));
  auto draw = options.found ? PlanCase::find : PlanCase::draw;
  auto check = options.found ? checkFoundPlan : checkPlan;
  Trials trials;
  trials.what = "plans";
  trials.check = [&](Choices &choices) {
    ErrorOr<PlanCase> test = draw(choices, subjects);
    return test ? check(*test) : std::optional(Finding{"drawing", test.error().message});
  };
  trials.show = [&](Choices &choices) -> ErrorOr<std::string> {
    TILEWRIGHT_ASSIGN(PlanCase test, draw(choices, subjects));
    return test.str(test.sizesOf(test.iterations().front()));
  };
  trials.saved = [](const Finding &finding, Choices &) { return planIn(finding); };
  trials.ending = ".plan";
  return runTrials(std::move(trials), options);
}
