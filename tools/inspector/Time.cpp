#include "tools/inspector/Time.h"

#include "planner/Say.h"
#include "tools/driver/PlanSearch.h"
#include "tools/driver/Roofline.h"

using namespace tilewright;
using namespace tilewright::inspector;
using llvm::json::Array;
using llvm::json::Object;

//===- Predictions ----------------------------------------------------------------------------===//

/// Plans beside the one that was taken.
static constexpr size_t kOtherPlans = 12;

static Object predictionJson(const std::string &title, const planner::Prediction &predicted,
                             bool isChosen) {
  return Object{{"title", title},
                {"chosen", isChosen},
                {"total", predicted.total},
                {"products", predicted.products},
                {"arithmetic", predicted.arithmetic},
                {"l2", predicted.l2},
                {"dram", predicted.dram},
                {"ends", predicted.ends},
                {"balance", predicted.balance}};
}

static void addPredictions(const Subject &subject, const driver::Attempt &attempt,
                           Object &variant) {
  driver::PlanSearch search(subject.text, attempt.withoutPlan());
  variant["refused"] = Array(search.refused());
  if (!subject.launch.valueOf || attempt.config.planText.empty())
    return;
  Array predictions;
  std::vector<std::string> titles;
  if (ErrorOr<passes::Plan> plan = passes::Plan::parse(attempt.config.planText)) {
    titles.push_back(planner::titleOf(*plan));
    if (auto own = search.predictFor(*plan, subject.launch))
      predictions.push_back(predictionJson(titles.back(), *own, true));
  }
  for (const planner::Ranked &other : search.rank(subject.launch)) {
    std::string title = planner::titleOf(other.plan);
    if (titles.size() > kOtherPlans || llvm::is_contained(titles, title))
      continue;
    predictions.push_back(predictionJson(title, other.predicted, false));
    titles.push_back(std::move(title));
  }
  variant["predictions"] = std::move(predictions);
}

//===- Roofline -------------------------------------------------------------------------------===//

static std::optional<Object> rooflineJson(const Subject &subject, const driver::Attempt &attempt) {
  const driver::Peak *peak = driver::peakFor(attempt.config.passTarget());
  if (!peak || !subject.launch.valueOf)
    return std::nullopt;
  ErrorOr<driver::KernelWork> work = driver::workOf(subject.text, attempt, subject.launch);
  if (!work)
    return std::nullopt;
  return Object{{"gpu", llvm::StringRef(peak->gpu)},
                {"multiprocessors", peak->multiprocessors},
                {"unit", llvm::StringRef(driver::nameOf(work->unit))},
                {"flops", work->flops()},
                {"bytes", work->bytes},
                {"peak_flops", peak->rate(work->unit)},
                {"peak_bytes", peak->bytes}};
}

static Object measuredJson(const Subject &subject, const ErrorOr<driver::Compiled> &compiled) {
  if (!compiled)
    return Object{{"missing", "not compiled: " + compiled.error().message}};
  ErrorOr<driver::Timed> timed = subject.time(compiled->kernel);
  if (!timed)
    return Object{{"missing", timed.error().message}};
  return Object{{"gpu", timed->gpu}, {"us", timed->microseconds}};
}

void inspector::addTime(const Subject &subject, const driver::Attempt &attempt,
                        const ErrorOr<driver::Compiled> &compiled, Object &variant) {
  addPredictions(subject, attempt, variant);
  if (std::optional<Object> roofline = rooflineJson(subject, attempt))
    variant["roofline"] = std::move(*roofline);
  if (subject.time)
    variant["measured"] = measuredJson(subject, compiled);
}
