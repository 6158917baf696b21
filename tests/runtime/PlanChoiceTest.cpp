#include "runtime/PlanChoice.h"
#include "TestKernels.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

/// A plan of vector_add that is for some launches.
static KernelSource plan(std::string name, std::vector<std::string> conditions = {}) {
  KernelSource source = vectorAdd();
  source.entry = std::move(name);
  for (const std::string &condition : conditions)
    source.checks.push_back({*Expr::parse(condition), "", "add.mlir:7", /*selects=*/true});
  return source;
}

/// Which plan a launch over `length` elements takes; -1 after an error.
static int64_t chosen(const std::vector<KernelSource> &plans, int64_t length, double scale = 1,
                      int64_t multiprocessors = 132, uintptr_t address = 0x1000,
                      int64_t stride = 1) {
  ErrorOr<PlanChoice> choice = PlanChoice::create(plans);
  EXPECT_TRUE(choice) << choice.error().message;
  TensorRef tensor{reinterpret_cast<void *>(address), ElementType::F32, 1, &length, &stride, 0};
  std::vector<Argument> args = {tensor, tensor, tensor, scale};
  ErrorOr<size_t> plan = choice->choose(args, multiprocessors);
  return plan ? int64_t(*plan) : -1;
}

static std::string failure(const std::vector<KernelSource> &plans) {
  ErrorOr<PlanChoice> choice = PlanChoice::create(plans);
  return choice ? "no failure" : choice.error().message;
}

TEST(PlanChoice, takes_the_first_whose_conditions_hold) {
  std::vector<KernelSource> plans = {plan("short", {"N <= 64"}),
                                     plan("even", {"N > 0", "1000 % N == 0"}), plan("any")};
  EXPECT_EQ(chosen(plans, 0), 0);
  EXPECT_EQ(chosen(plans, 64), 0);
  EXPECT_EQ(chosen(plans, 100), 1);
  EXPECT_EQ(chosen(plans, 65), 2);
  EXPECT_EQ(chosen({plan("any")}, 65), 0);
}

TEST(PlanChoice, knows_scalars_as_the_kernel_gets_them) {
  std::vector<KernelSource> plans = {plan("unscaled", {"scale == 1.0"}), plan("scaled")};
  EXPECT_EQ(chosen(plans, 1, 1), 0);
  EXPECT_EQ(chosen(plans, 1, 1 + 1e-12), 0); // as an f32
  EXPECT_EQ(chosen(plans, 1, 1.5), 1);
}

TEST(PlanChoice, knows_the_number_of_multiprocessors) {
  std::vector<KernelSource> plans = {plan("whole", {"cdiv(N, 256) >= num_sms"}), plan("split")};
  EXPECT_EQ(chosen(plans, 256 * 100, 1, 100), 0);
  EXPECT_EQ(chosen(plans, 256 * 100, 1, 101), 1);
  EXPECT_TRUE(PlanChoice::create(plans)->asksMultiprocessors());
  EXPECT_FALSE(PlanChoice::create(std::vector{plan("any")})->asksMultiprocessors());
}

TEST(PlanChoice, knows_the_facts_in_which_plans_differ) {
  std::vector<KernelSource> plans = {plan("wide"), plan("narrow"), plan("strided")};
  std::get<TensorArg>(plans[0].args[1]).alignment = 16;
  std::get<TensorArg>(plans[2].args[2]).unitInnerStride = false;
  EXPECT_EQ(chosen(plans, 9), 0);
  EXPECT_EQ(chosen(plans, 9, 1, 132, 0x1004), 1);
  EXPECT_EQ(chosen(plans, 9, 1, 132, 0x1000, /*stride=*/2), 2);
  EXPECT_EQ(chosen(plans, 0, 1, 132, 0x1004), 0); // what is empty has all facts
  PlanChoice choice = *PlanChoice::create(plans);
  EXPECT_EQ(choice.conditions(0),
            (std::vector<std::string>{"`b` is aligned to 16 bytes",
                                      "`out` has stride 1 along its last axis"}));
  EXPECT_EQ(choice.conditions(1),
            std::vector<std::string>{"`out` has stride 1 along its last axis"});
  EXPECT_TRUE(choice.conditions(2).empty());
}

TEST(PlanChoice, leaves_arguments_that_do_not_fit_to_the_last) {
  std::vector<KernelSource> plans = {plan("long", {"N > 64"}), plan("any")};
  PlanChoice choice = *PlanChoice::create(plans);
  EXPECT_EQ(*choice.choose({}, 132), 1u);
  std::vector<Argument> args = {1.0, 1.0, 1.0, true};
  EXPECT_EQ(*choice.choose(args, 132), 1u);
}

TEST(PlanChoice, says_which_condition_has_no_value) {
  std::vector<KernelSource> plans = {plan("even", {"1000 % N == 0"}), plan("any")};
  int64_t length = 0, stride = 1;
  TensorRef tensor{nullptr, ElementType::F32, 1, &length, &stride, 0};
  ErrorOr<size_t> found =
      PlanChoice::create(plans)->choose(std::vector<Argument>{tensor, tensor, tensor, 1.0}, 132);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.substr(0, 66),
            "add.mlir:7: error: the condition of plan `even` has no value: `100");
}

TEST(PlanChoice, refuses_lists_in_which_a_plan_is_never_taken) {
  EXPECT_EQ(failure({}), "a kernel without a plan cannot be launched");
  EXPECT_EQ(failure({plan("short", {"N <= 64"})}),
            "add.mlir:7: error: the last plan, `short`, is for `N <= 64` only; it takes all "
            "launches that no other does, so give it no condition, or put a plan without one "
            "behind it");
  EXPECT_EQ(failure({plan("any"), plan("other")}),
            "vector_add.py:1: error: plan `any` takes all launches, so `other` behind it gets "
            "none; give it a condition, or put it last");
  std::vector<KernelSource> weaker = {plan("any"), plan("wide")};
  std::get<TensorArg>(weaker[1].args[0]).alignment = 16;
  EXPECT_EQ(failure(weaker).substr(0, 51), "vector_add.py:1: error: plan `any` takes all launch");
}

TEST(PlanChoice, refuses_plans_of_other_arguments) {
  KernelSource other = plan("other", {"N <= 64"});
  std::get<TensorArg>(other.args[0]).type = ElementType::F16;
  EXPECT_EQ(failure({other, plan("any")}),
            "vector_add.py:1: error: plan `other` takes other arguments than `any`; the plans of a "
            "kernel take the same");
  EXPECT_EQ(failure({plan("odd", {"M <= 64"}), plan("any")}),
            "vector_add.py:1: error: a condition is over `M`, which is no dimension and no scalar "
            "argument");
  KernelSource many = plan("many");
  for (int i = 0; i < 100; ++i)
    many.checks.push_back(
        {Expr::name(std::string("N").append(std::to_string(i))), "", "", /*selects=*/true});
  EXPECT_EQ(failure({many, plan("any")}).substr(0, 68),
            "vector_add.py:1: error: the conditions of plans are over 100 names; ");
}

TEST(PlanChoice, is_the_same_from_stored_plans) {
  std::vector<KernelSource> plans = {plan("short", {"N <= 64"}), plan("any")}, stored;
  for (const KernelSource &source : plans)
    stored.push_back(*kernelSourceFromJson(toJson(source)));
  EXPECT_EQ(stored, plans);
  EXPECT_EQ(chosen(stored, 64), 0);
  EXPECT_EQ(chosen(stored, 65), 1);
}
