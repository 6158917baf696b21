#include "tools/driver/Plans.h"

#include "runtime/Driver.h"
#include "simulator/Reference.h"
#include "support/Hash.h"
#include "tools/driver/CodeCache.h"
#include "tools/driver/Tuner.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::driver;

/// For cache entries that say that there is nothing to find.
static constexpr llvm::ArrayRef<int64_t> kAllLaunches;

int driver::deviceOf(const Call &call) {
  for (const runtime::Argument &argument : call.arguments)
    if (const auto *tensor = std::get_if<runtime::TensorRef>(&argument))
      return std::max(-1, tensor->device);
  return 0;
}

ErrorOr<int64_t> driver::multiprocessorsOf(int device) {
  if (device < 0)
    return simulator::Options().multiprocessors;
  TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
  TILEWRIGHT_ASSIGN(const runtime::DeviceInfo *info, driver->device(device));
  return info->multiprocessors;
}

int64_t driver::multiprocessorsAtHand(const std::string &target) {
  if (ErrorOr<const runtime::Driver *> driver = runtime::Driver::get())
    for (const runtime::DeviceInfo &device : (*driver)->devices())
      if (device.target() == target)
        return device.multiprocessors;
  return 0;
}

Plans::Plans(KernelTextPtr source, Attempt wanted)
    : text(std::move(source)), attempts(text->plans.size(), wanted), entries(attempts.size()) {
  for (auto [plan, attempt] : llvm::enumerate(attempts))
    attempt.plan = plan;
}

ErrorOr<size_t> Plans::choose(const Call &call, int device) const {
  int64_t multiprocessors = 0;
  if (text->plans.asksMultiprocessors()) {
    TILEWRIGHT_ASSIGN(multiprocessors, multiprocessorsOf(device));
  }
  return text->plans.choose(call.arguments, multiprocessors);
}

size_t Plans::ShapeHash::operator()(const Shape &shape) const {
  return llvm::hash_combine_range(shape.begin(), shape.end());
}

Plans::Shape Plans::shapeOf(const Call &call) {
  Shape shape;
  for (const runtime::Argument &argument : call.arguments)
    if (const auto *tensor = std::get_if<runtime::TensorRef>(&argument)) {
      shape.append(tensor->shape, tensor->shape + tensor->rank);
      for (unsigned axis = 0; axis < tensor->rank; ++axis)
        if (isRepeated(*tensor, axis))
          shape.push_back(-1 - int64_t(axis)); // no size
    } else if (const auto *number = std::get_if<double>(&argument))
      shape.push_back(*number > 0);
    else if (const auto *integer = std::get_if<int64_t>(&argument))
      shape.push_back(*integer > 0);
  return shape;
}

/// The plan that such a launch took in another process; null if not known.
Memo::Result Plans::recall(llvm::ArrayRef<int64_t> launch, Memo &memo) const {
  const Attempt &wanted = attempts.front();
  std::optional<std::string> taken = CodeCache().loadPlan(*text, wanted, launch);
  if (!taken)
    return nullptr;
  std::vector<passes::Plan> plans;
  if (!taken->empty()) {
    ErrorOr<passes::Plan> plan = passes::Plan::parse(*taken);
    if (!plan)
      return nullptr;
    plans.push_back(std::move(*plan));
  }
  Attempt attempt = withPlans(wanted, plans);
  attempt.others.clear();
  Memo::Result result = memo.get(text, attempt);
  return *result ? result : nullptr;
}

/// The first plan that compiles, among the best for a launch; the best one's error under a user's
/// entries, where none does.
Memo::Result Plans::takeBest(const planner::Launch &launch, const TunedChoice &tuned,
                             Memo &memo) const {
  Attempt wanted = attempts.front();
  wanted.passedOver = tuned.passedOver;
  Attempt first = withPlans(wanted, withTuned(*search, launch, tuned));
  std::vector<Attempt> others = std::exchange(first.others, {});
  Memo::Result best = memo.get(text, first), result = best;
  for (const Attempt &other : others) {
    if (*result)
      break;
    result = memo.get(text, other);
  }
  return *result || wanted.config.planEntries.empty() ? result : best;
}

/// Whether plans are found for any launch. This reads the kernel.
bool Plans::findsPlans() {
  std::call_once(searched, [&] {
    search.emplace(text, attempts.front());
    if (search->empty()) {
      mayFind = false;
      CodeCache().storePlan(*text, attempts.front(), kAllLaunches, "");
    }
  });
  return !search->empty();
}

/// The tuner's result. With `Tuned::Auto`, measures now if there is none.
TunedChoice Plans::chooseTuned(const Call &call, int device, Memo &memo) {
  const Attempt &wanted = attempts.front();
  TunedChoice tuned = tunedFor(text, wanted, call);
  if (wanted.config.tuned != Config::Tuned::Auto || tuned.result || device < 0)
    return tuned;
  std::lock_guard lock(tuning);
  tuned = tunedFor(text, wanted, call); // another thread may have been here
  if (!tuned.result && !std::exchange(tuningFailed, true)) {
    tuneForUser(text, wanted, call, device, memo);
    tuned = tunedFor(text, wanted, call);
    tuningFailed = !tuned.result;
  }
  return tuned;
}

/// The choice of the tuner, if it is for these sizes and still fits; else the plan that such a
/// launch took in another process, or the best one that is found now. Null if the kernel has no
/// plans, and was not tuned.
ErrorOr<Memo::Result> Plans::findBest(const Call &call, int device, const Shape &shape,
                                      Memo &memo) {
  TunedChoice tuned = chooseTuned(call, device, memo);
  if (tuned.isExact) {
    Memo::Result result = memo.get(text, tuned.apply(attempts.front()));
    if (*result)
      return result;
    std::string words =
        tuned.result->plan.empty() ? "" : misfit(text, attempts.front(), *tuned.result);
    tuned = {nullptr, false, {words.empty() ? result->error().message : words}};
  }
  if (tuned.result && !tuned.result->numbers.empty())
    if (Memo::Result result = memo.get(text, tuned.apply(attempts.front())); *result)
      return result;
  if (!mayFind)
    return Memo::Result();
  ErrorOr<int64_t> multiprocessors = multiprocessorsOf(device);
  Shape launch = shape;
  launch.push_back(multiprocessors ? *multiprocessors : 0);
  if (tuned.result)
    launch.push_back(int64_t(checksum(tuned.result->plan)));
  if (Memo::Result result = recall(launch, memo))
    return result;
  if (!findsPlans())
    return Memo::Result();
  if (!multiprocessors)
    return multiprocessors.error();
  Memo::Result result = takeBest(launchOf(call, *multiprocessors), tuned, memo);
  if (*result)
    CodeCache().storePlan(*text, attempts.front(), launch, (*result)->attempt.config.planText);
  return result;
}

ErrorOr<Memo::Result> Plans::findPlanned(const Call &call, int device, Memo &memo) {
  Shape shape = shapeOf(call);
  {
    std::shared_lock lock(mutex);
    if (auto found = planned.find(shape); found != planned.end())
      return found->second;
  }
  TILEWRIGHT_ASSIGN(Memo::Result result, findBest(call, device, shape, memo));
  if (!result) {
    TILEWRIGHT_ASSIGN(result, findStated(call, device, memo));
  }
  std::unique_lock lock(mutex);
  return planned.try_emplace(std::move(shape), std::move(result)).first->second;
}

ErrorOr<Memo::Result> Plans::findStated(const Call &call, int device, Memo &memo) {
  TILEWRIGHT_ASSIGN(size_t plan, choose(call, device));
  Entry &entry = entries[plan];
  std::call_once(entry.once, [&] { entry.result = memo.get(text, attempts[plan]); });
  return entry.result;
}

ErrorOr<Memo::Result> Plans::find(const Call &call, int device, Memo &memo) {
  std::call_once(asked, [&] {
    const Attempt &wanted = attempts.front();
    mayFind = whyNoSearch(*text, wanted.config).empty() &&
              !CodeCache().loadPlan(*text, wanted, kAllLaunches);
    bool isAuto = wanted.config.tuned == Config::Tuned::Auto;
    mayBeTuned =
        whyStated(*text, wanted.config).empty() && (isAuto || loadedPlans().knows(text->kernel));
  });
  return mayFind || mayBeTuned ? findPlanned(call, device, memo) : findStated(call, device, memo);
}

std::string driver::describePlan(const KernelText &text, size_t plan) {
  size_t count = text.plans.size();
  if (count == 1)
    return "";
  std::string conditions = llvm::join(text.plans.conditions(plan), " and ");
  return "plan " + std::to_string(plan + 1) + " of " + std::to_string(count) + ", `" +
         text.plans.name(plan) + "`: where " +
         (plan + 1 == count ? "no other is taken" : conditions);
}

Status driver::choosePlan(const KernelTextPtr &text, const Call &call, int device,
                          Attempt &attempt) {
  TILEWRIGHT_ASSIGN(attempt.plan, Plans(text, attempt).choose(call, device));
  return {};
}
