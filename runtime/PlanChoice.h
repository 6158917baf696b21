//===- PlanChoice.h - Which of a kernel's plans a launch takes --*- C++ -*-===//
//
// A kernel may be compiled in several ways, its plans, in an order. A launch takes the first whose
// conditions hold: checks that select (LaunchCheck::selects), and facts of tensors on which the
// plans differ. The last has no such check, and is taken where no other is; what it needs beyond
// that is refused by its LaunchPlan, as for a kernel with one plan.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/KernelSource.h"
#include "runtime/Tensor.h"

#include <span>

namespace tilewright::runtime {

class PlanChoice {
public:
  /// Of a kernel with one plan.
  PlanChoice() : plans(1) {}

  /// Fails, with the line, if the plans take different arguments, if the last has a condition, or
  /// if another has none. Needs no text, parameters or resources of a plan.
  static ErrorOr<PlanChoice> create(std::span<const KernelSource> sources);

  size_t size() const { return plans.size(); }

  /// The plan that a launch takes, by a few comparisons and without allocating. Arguments that no
  /// plan can take get the last, whose launch refuses them. Fails if a condition has no value.
  ErrorOr<size_t> choose(std::span<const Argument> given, int64_t multiprocessors) const;

  /// Whether a condition is over the number of multiprocessors.
  bool asksMultiprocessors() const;

  /// The name of a plan, its device function's; empty for the only one.
  const std::string &name(size_t plan) const { return plans[plan].name; }
  /// What the plan is for, a condition each: "M <= 64", "`a` is aligned to 16 bytes".
  std::vector<std::string> conditions(size_t plan) const;

private:
  /// Facts of a tensor argument that the plan needs and another does not.
  struct Fact {
    unsigned argument = 0;
    TensorFacts needed = {};
  };
  struct Plan {
    std::string name = {};
    std::vector<LaunchCheck> checks = {}; ///< Those that select; over `names`.
    std::vector<Fact> facts = {};
  };
  /// Where the value of a name is found; without an argument, it is the number of multiprocessors.
  struct Place {
    unsigned argument = 0, axis = 0;
  };
  static constexpr unsigned kNoArgument = ~0u;
  /// More than conditions use; bounds the values that a choice keeps on its stack.
  static constexpr size_t kMaxNames = 32;

  void addFacts(std::span<const KernelSource> sources);
  Status addConditions(std::span<const KernelSource> sources);
  void addPlaces();
  ErrorOr<bool> isFor(const Plan &plan, std::span<const Argument> given,
                      std::span<const ExprValue> values) const;
  void read(std::span<const Argument> given, int64_t multiprocessors,
            std::span<ExprValue> values) const;

  std::vector<Plan> plans;
  std::vector<std::string> names; ///< Those that conditions use.
  std::vector<Place> places;      ///< Per name.
  std::vector<Arg> args;
};

} // namespace tilewright::runtime
