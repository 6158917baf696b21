//===- Job.h - what the user asked to compile or run ------------------------------------------===//
//
// A job is one kernel, or the sequence that kernels_src/defaults.json states for a built-in, with
// all that the command line and those defaults say about sizes, dtypes and values.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_JOB_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_JOB_H

#include "simulator/Reference.h"
#include "tools/driver/Binding.h"
#include "tools/driver/Compiler.h"
#include "tools/driver/HostTensor.h"
#include "tools/driver/PlanSearch.h"
#include "tools/driver/Roofline.h"

#include <deque>
#include <functional>
#include <map>
#include <set>

namespace tilewright::cli {

/// The words of the command line that say which kernel, and how.
struct KernelArgs {
  std::string kernel, target, cuda;
  /// A file, or the name of a plan; and entries that replace some of the file.
  std::vector<std::string> plan;
  /// Files of tuned plans; or `none`.
  std::vector<std::string> tuned;
  std::vector<std::string> shape, sets, dtypes, config, disabledPasses;
  bool allowSpills = false, lineInfo = false;
  /// Instead of the kernel its gradient, by these inputs, of these outputs; empty: all. It takes
  /// the outputs `stored` too.
  bool grad = false;
  std::vector<std::string> wrt, given, stored;
};

using Sizes = std::map<std::string, int64_t>;

/// One kernel of a job.
struct Step {
  driver::KernelTextPtr text;
  driver::Settings settings;
  std::map<std::string, runtime::Argument> scalars;
  std::set<std::string> absent; ///< Optional tensors that are left out.
  /// Of a kernel with several: the one that the user names, or that a launch takes.
  std::optional<size_t> plan;
  /// Those that are found at the job's sizes, best first.
  struct Found {
    std::vector<passes::Plan> plans;
    std::vector<std::string> passedOver; ///< Why a plan of the tuner is not among them.
    driver::Numbers numbers = {};        ///< Of the tuner, where no plan is as fast.
  };
  mutable std::optional<Found> found = {}; ///< Once somebody asks (foundPlans).

  const frontend::Signature &signature() const { return text->signature(); }
};

struct Job {
  std::string name;
  std::vector<Step> steps;
  Sizes sizes;
  std::map<std::string, frontend::Dtype> dtypes;
  driver::Config config;
  /// Of random float inputs where it is not 1: weights, so that results stay in a dtype's range.
  std::map<std::string, double> deviations;
  /// Integer inputs that cut a dimension into parts: they rise from 0 to its size.
  std::map<std::string, std::string> offsets;
  /// Integer inputs that are indices of a dimension: from 0 to below its size.
  std::map<std::string, std::string> indices;
  std::set<std::string> positive;    ///< Float inputs without negative numbers.
  int64_t multiprocessorsAtHand = 0; ///< For which plans are found; 0: the measured GPU's.
  int64_t multiprocessors = simulator::Options().multiprocessors; ///< Of what runs it.

  /// Fills an input with random numbers that its kernel can take.
  void fill(driver::HostTensor &tensor, const std::string &name, const Sizes &sizes, uint64_t seed,
            double deviation) const;
  runtime::ElementType typeOf(const frontend::Param &param) const;
  /// Sizes of a tensor's axes; a size that nobody stated is taken as large and even.
  std::vector<int64_t> shapeOf(const frontend::Param &param, const Sizes &sizes) const;
};

ErrorOr<Job> makeJob(const KernelArgs &args);
/// The same of a text, whatever the words call it.
ErrorOr<Job> makeJob(const driver::KernelTextPtr &text, const KernelArgs &args);

/// The dimensions of all steps, in the order of their declaration.
std::vector<std::string> dimNames(const Job &job);

/// Fails, naming them, if sizes or scalars are missing that running needs.
Status checkComplete(const Job &job);

/// The arguments of one step over tensors at given addresses.
struct Operands {
  Operands() = default;
  Operands(Operands &&) = default; // a copy's call would point into the original
  Operands &operator=(Operands &&) = default;

  std::deque<std::vector<int64_t>> extents; ///< Shapes and strides that `call` points to.
  driver::Call call;
};
using AddressOf = std::function<void *(const std::string &tensor)>;
ErrorOr<Operands> makeOperands(const Job &job, const Step &step, const Sizes &sizes,
                               const AddressOf &addressOf, int device);

/// The arguments of a step over aligned addresses, of which only facts are taken.
ErrorOr<Operands> placeholders(const Job &job, const Step &step, const Sizes &sizes);

/// What a step is compiled for, with the facts of contiguous, aligned tensors; no plan is found.
ErrorOr<driver::Attempt> openAttempt(const Job &job, const Step &step, const Sizes &sizes);
/// The configuration to start from for a step and its plan, which is found where none is stated.
ErrorOr<driver::Attempt> attemptFor(const Job &job, const Step &step, const Sizes &sizes);
/// The same for each of its plans, or for the one that is set.
ErrorOr<std::vector<driver::Attempt>> attemptsFor(const Job &job, const Step &step);

/// Takes the plan that the user gives or names.
Status bindPlan(Job &job, const KernelArgs &args);

/// Sets the plan that each step takes at the job's sizes, where the user names none.
Status choosePlans(Job &job);

/// The plans that are found for a step at the job's sizes; none where one is stated.
const Step::Found &foundPlans(const Job &job, const Step &step);
/// An attempt with these plans to try.
driver::Attempt withFound(driver::Attempt open, const Step::Found &found);

/// Sizes, scalar arguments and constants by name, for expressions.
llvm::StringMap<runtime::ExprValue> valuesOf(const Job &job, const Step &step, const Sizes &sizes);

/// A launch at these sizes, for predictions.
planner::Launch launchFor(const Job &job, const Step &step, const Sizes &sizes);

/// What the steps have to do at these sizes.
ErrorOr<driver::KernelWork> workOf(const Job &job, const Sizes &sizes);

/// "B=4, S=4096, …".
std::string str(const Sizes &sizes);

} // namespace tilewright::cli

#endif
