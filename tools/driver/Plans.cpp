#include "tools/driver/Plans.h"

#include "runtime/Driver.h"
#include "simulator/Reference.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::driver;

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
    if (const auto *tensor = std::get_if<runtime::TensorRef>(&argument))
      shape.append(tensor->shape, tensor->shape + tensor->rank);
    else if (const auto *number = std::get_if<double>(&argument))
      shape.push_back(*number > 0);
    else if (const auto *integer = std::get_if<int64_t>(&argument))
      shape.push_back(*integer > 0);
  return shape;
}

ErrorOr<Memo::Result> Plans::findPlanned(const Call &call, int device, Memo &memo) {
  Shape shape = shapeOf(call);
  {
    std::shared_lock lock(mutex);
    if (auto found = planned.find(shape); found != planned.end())
      return found->second;
  }
  TILEWRIGHT_ASSIGN(int64_t multiprocessors, multiprocessorsOf(device));
  const Attempt &wanted = attempts.front();
  Attempt first = withPlans(wanted, search->finalists(launchOf(call, multiprocessors)));
  std::vector<Attempt> others = std::exchange(first.others, {});
  Memo::Result result = memo.get(text, first);
  for (const Attempt &other : others) {
    if (*result)
      break;
    result = memo.get(text, other);
  }
  std::unique_lock lock(mutex);
  return planned.try_emplace(std::move(shape), std::move(result)).first->second;
}

ErrorOr<Memo::Result> Plans::find(const Call &call, int device, Memo &memo) {
  std::call_once(searched, [&] { search.emplace(text, attempts.front()); });
  if (!search->empty())
    return findPlanned(call, device, memo);
  TILEWRIGHT_ASSIGN(size_t plan, choose(call, device));
  Entry &entry = entries[plan];
  std::call_once(entry.once, [&] { entry.result = memo.get(text, attempts[plan]); });
  return entry.result;
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
