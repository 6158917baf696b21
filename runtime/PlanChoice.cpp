//===- PlanChoice.cpp - Which of a kernel's plans a launch takes ----------===//

#include "runtime/PlanChoice.h"

#include "runtime/ScalarEncoding.h"

#include <algorithm>
#include <array>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Making a choice ready
//===----------------------------------------------------------------------===//

/// An argument without the facts in which plans may differ.
static Arg withoutFacts(Arg arg) {
  if (auto *tensor = std::get_if<TensorArg>(&arg)) {
    tensor->alignment = 1;
    tensor->unitInnerStride = tensor->index32 = false;
  }
  return arg;
}

static Status checkArguments(const KernelSource &plan, const KernelSource &last) {
  auto isSame = [](const Arg &a, const Arg &b) { return withoutFacts(a) == withoutFacts(b); };
  if (std::equal(plan.args.begin(), plan.args.end(), last.args.begin(), last.args.end(), isSame))
    return {};
  return Error{plan.location + ": error: plan `" + plan.entry + "` takes other arguments than `" +
               last.entry + "`; the plans of a kernel take the same"};
}

ErrorOr<PlanChoice> PlanChoice::create(std::span<const KernelSource> sources) {
  if (sources.empty())
    return Error{"a kernel without a plan cannot be launched"};
  PlanChoice choice;
  choice.plans.resize(sources.size());
  choice.args = sources.back().args;
  for (const KernelSource &source : sources)
    TILEWRIGHT_TRY(checkArguments(source, sources.back()));
  choice.addFacts(sources);
  TILEWRIGHT_TRY(choice.addConditions(sources));
  return choice;
}

/// The facts that all plans need at the least.
static TensorFacts sharedFacts(std::span<const KernelSource> sources, unsigned index) {
  TensorFacts shared{.alignment = 16, .unitInnerStride = true, .index32 = true};
  for (const KernelSource &source : sources) {
    const auto &tensor = *std::get_if<TensorArg>(&source.args[index]);
    shared.alignment = std::min(shared.alignment, tensor.alignment);
    shared.unitInnerStride &= tensor.unitInnerStride;
    shared.index32 &= tensor.index32;
  }
  return shared;
}

/// Facts that a plan needs beyond those of all plans are its conditions.
void PlanChoice::addFacts(std::span<const KernelSource> sources) {
  for (unsigned index = 0; index < args.size(); ++index) {
    if (!std::holds_alternative<TensorArg>(args[index]))
      continue;
    TensorFacts shared = sharedFacts(sources, index);
    for (size_t plan = 0; plan + 1 < sources.size(); ++plan) {
      const auto &tensor = *std::get_if<TensorArg>(&sources[plan].args[index]);
      TensorFacts needed{tensor.alignment > shared.alignment ? tensor.alignment : 1,
                         tensor.unitInnerStride && !shared.unitInnerStride,
                         tensor.index32 && !shared.index32};
      if (needed != TensorFacts())
        plans[plan].facts.push_back({index, needed});
    }
  }
}

Status PlanChoice::addConditions(std::span<const KernelSource> sources) {
  for (size_t plan = 0; plan < sources.size(); ++plan) {
    const KernelSource &source = sources[plan];
    plans[plan].name = sources.size() > 1 ? source.entry : "";
    for (const LaunchCheck &check : source.checks)
      if (check.selects)
        plans[plan].checks.push_back(check);
    bool isLast = plan + 1 == sources.size();
    if (const std::vector<LaunchCheck> &checks = plans[plan].checks; isLast && !checks.empty())
      return Error{checks.front().location + ": error: the last plan, `" + source.entry +
                   "`, is for `" + checks.front().condition.str() +
                   "` only; it takes all launches that no other does, so give it no condition, or "
                   "put a plan without one behind it"};
    if (!isLast && plans[plan].checks.empty() && plans[plan].facts.empty())
      return Error{source.location + ": error: plan `" + source.entry +
                   "` takes all launches, so `" + sources[plan + 1].entry +
                   "` behind it gets none; give it a condition, or put it last"};
    for (const LaunchCheck &check : plans[plan].checks)
      for (const std::string &name : check.condition.names())
        if (std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(name);
  }
  if (names.size() > kMaxNames)
    return Error{sources.front().location + ": error: the conditions of plans are over " +
                 std::to_string(names.size()) + " names; at most " + std::to_string(kMaxNames) +
                 " can be"};
  addPlaces();
  for (size_t i = 0; i < names.size(); ++i)
    if (places[i].argument == kNoArgument && names[i] != kNumMultiprocessors)
      return Error{sources.front().location + ": error: a condition is over `" + names[i] +
                   "`, which is no dimension and no scalar argument"};
  for (Plan &plan : plans)
    for (LaunchCheck &check : plan.checks) {
      TILEWRIGHT_ASSIGN(check.condition, check.condition.withNames(names));
    }
  return {};
}

void PlanChoice::addPlaces() {
  places.assign(names.size(), {kNoArgument, 0});
  auto define = [&](const std::string &name, unsigned argument, unsigned axis) {
    auto found = std::find(names.begin(), names.end(), name);
    if (Place *place = found == names.end() ? nullptr : &places[size_t(found - names.begin())];
        place && place->argument == kNoArgument)
      *place = {argument, axis};
  };
  for (unsigned index = 0; index < args.size(); ++index) {
    if (const auto *scalar = std::get_if<ScalarArg>(&args[index]))
      define(scalar->name, index, 0);
    if (const auto *tensor = std::get_if<TensorArg>(&args[index]))
      for (unsigned axis = 0; axis < tensor->dims.size(); ++axis)
        define(tensor->dims[axis].name, index, axis);
  }
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

bool PlanChoice::asksMultiprocessors() const {
  return std::find(names.begin(), names.end(), kNumMultiprocessors) != names.end();
}

/// The value of each name; 0 where the arguments are not the kernel's.
void PlanChoice::read(std::span<const Argument> given, int64_t multiprocessors,
                      std::span<ExprValue> values) const {
  for (size_t i = 0; i < names.size(); ++i) {
    auto [index, axis] = places[i];
    values[i] = index == kNoArgument ? multiprocessors : int64_t(0);
    if (index == kNoArgument)
      continue;
    std::byte bytes[8];
    if (const auto *tensor = std::get_if<TensorRef>(&given[index])) {
      if (axis < tensor->rank)
        values[i] = tensor->shape[axis];
    } else if (const auto *scalar = std::get_if<ScalarArg>(&args[index]);
               scalar && encodeScalar(given[index], scalar->type, bytes)) {
      values[i] = decodeScalar(bytes, scalar->type);
    }
  }
}

static bool has(const TensorRef &tensor, const TensorFacts &needed) {
  TensorFacts found = facts(tensor);
  return isEmpty(tensor) ||
         (found.alignment >= needed.alignment &&
          (found.unitInnerStride || !needed.unitInnerStride) && (found.index32 || !needed.index32));
}

ErrorOr<bool> PlanChoice::isFor(const Plan &plan, std::span<const Argument> given,
                                std::span<const ExprValue> values) const {
  for (const LaunchCheck &check : plan.checks) {
    ErrorOr<int64_t> holds = check.condition.eval(values);
    if (!holds)
      return Error{check.location + ": error: the condition of plan `" + plan.name +
                   "` has no value: " + holds.error().message};
    if (!*holds)
      return false;
  }
  return std::all_of(plan.facts.begin(), plan.facts.end(), [&](const Fact &fact) {
    const auto *tensor = std::get_if<TensorRef>(&given[fact.argument]);
    return tensor && has(*tensor, fact.needed);
  });
}

ErrorOr<size_t> PlanChoice::choose(std::span<const Argument> given, int64_t multiprocessors) const {
  size_t last = plans.size() - 1;
  if (last == 0 || given.size() != args.size())
    return last;
  std::array<ExprValue, kMaxNames> storage;
  std::span<ExprValue> values(storage.data(), names.size());
  read(given, multiprocessors, values);
  for (size_t plan = 0; plan < last; ++plan) {
    TILEWRIGHT_ASSIGN(bool taken, isFor(plans[plan], given, values));
    if (taken)
      return plan;
  }
  return last;
}

//===----------------------------------------------------------------------===//
// In words
//===----------------------------------------------------------------------===//

std::vector<std::string> PlanChoice::conditions(size_t plan) const {
  std::vector<std::string> words;
  for (const LaunchCheck &check : plans[plan].checks)
    words.push_back(check.condition.str());
  for (const Fact &fact : plans[plan].facts) {
    std::string name = "`" + std::get_if<TensorArg>(&args[fact.argument])->name + "` ";
    if (fact.needed.alignment > 1)
      words.push_back(name + "is aligned to " + std::to_string(fact.needed.alignment) + " bytes");
    if (fact.needed.unitInnerStride)
      words.push_back(name + "has stride 1 along its last axis");
    if (fact.needed.index32)
      words.push_back(name + "has offsets of 32 bits");
  }
  return words;
}

} // namespace tilewright::runtime
