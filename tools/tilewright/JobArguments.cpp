// The arguments of a job's steps, and what follows from them.
#include "tools/tilewright/Job.h"

#include "runtime/ScalarEncoding.h"
#include "tools/driver/TunedPlans.h"

using namespace tilewright;
using namespace tilewright::cli;
using frontend::ConstValue;
using frontend::Param;

runtime::ElementType Job::typeOf(const Param &param) const {
  frontend::Dtype dtype = param.dtype ? *param.dtype : dtypes.at(param.dtypeVariable);
  llvm::StringRef name = frontend::dtypeName(dtype);
  return *runtime::elementTypeByName({name.data(), name.size()});
}

std::vector<int64_t> Job::shapeOf(const Param &param, const Sizes &sizes) const {
  constexpr int64_t kUnstated = 4096;
  std::vector<int64_t> shape;
  for (const frontend::Dim &dim : param.dims) {
    auto size = sizes.find(dim.name);
    shape.push_back(dim.name.empty() ? dim.size : size == sizes.end() ? kUnstated : size->second);
  }
  return shape;
}

void Job::fill(driver::HostTensor &tensor, const std::string &name, const Sizes &sizes,
               uint64_t seed, double deviation) const {
  if (auto cut = offsets.find(name); cut != offsets.end())
    return tensor.rise(seed, sizes.at(cut->second));
  if (auto dim = indices.find(name); dim != indices.end())
    return tensor.choose(seed, sizes.at(dim->second));
  tensor.randomize(seed, deviation);
  if (positive.contains(name))
    tensor.dropSigns();
}

ErrorOr<Operands> cli::makeOperands(const Job &job, const Step &step, const Sizes &sizes,
                                    const AddressOf &addressOf, int device) {
  Operands result;
  std::vector<runtime::Argument> arguments;
  for (const Param &param : step.signature().params) {
    if (param.kind == Param::Scalar) {
      auto value = step.scalars.find(param.name);
      arguments.push_back(value == step.scalars.end() ? runtime::Argument(int64_t(0))
                                                      : value->second);
    } else if (param.kind == Param::Tensor && step.absent.contains(param.name)) {
      arguments.push_back(driver::kNone);
    } else if (param.kind == Param::Tensor) {
      std::vector<int64_t> &shape = result.extents.emplace_back(job.shapeOf(param, sizes));
      std::vector<int64_t> &strides = result.extents.emplace_back(shape.size());
      int64_t stride = 1;
      for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
        strides[axis] = stride;
      arguments.push_back(runtime::TensorRef{addressOf(param.name), job.typeOf(param),
                                             unsigned(shape.size()), shape.data(), strides.data(),
                                             device});
    }
  }
  TILEWRIGHT_ASSIGN(result.call, driver::arrange(step.signature(), arguments));
  return result;
}

ErrorOr<Operands> cli::placeholders(const Job &job, const Step &step, const Sizes &sizes) {
  static char placeholder alignas(256)[256];
  return makeOperands(job, step, sizes, [](auto &) { return placeholder; }, -1);
}

ErrorOr<driver::Attempt> cli::openAttempt(const Job &job, const Step &step, const Sizes &sizes) {
  TILEWRIGHT_ASSIGN(Operands operands, placeholders(job, step, sizes));
  driver::Attempt attempt{job.config, {}, step.plan.value_or(0)};
  TILEWRIGHT_ASSIGN(attempt.specialisation,
                    driver::specialise(step.signature(), operands.call, step.settings));
  // A size that nobody stated is not to be compiled in.
  for (const frontend::DimInfo &dim : step.signature().dims)
    if (!sizes.contains(dim.name))
      attempt.specialisation.dims.erase(dim.name);
  return attempt;
}

static ErrorOr<Step::Found> findPlans(const Job &job, const Step &step) {
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, openAttempt(job, step, job.sizes));
  TILEWRIGHT_ASSIGN(Operands operands, placeholders(job, step, job.sizes));
  driver::PlanSearch search(step.text, wanted);
  driver::TunedChoice tuned = driver::tunedFor(step.text, wanted, operands.call);
  return Step::Found{driver::withTuned(search, launchFor(job, step, job.sizes), tuned),
                     tuned.passedOver, tuned.numbers()};
}

const Step::Found &cli::foundPlans(const Job &job, const Step &step) {
  if (!step.found) {
    ErrorOr<Step::Found> found = findPlans(job, step);
    step.found = found ? std::move(*found) : Step::Found(); // who needs it says why
  }
  return *step.found;
}

driver::Attempt cli::withFound(driver::Attempt open, const Step::Found &found) {
  open.passedOver = found.passedOver;
  if (!found.numbers.empty())
    return found.numbers.applyTo(std::move(open));
  return found.plans.empty() ? open : driver::withPlans(open, found.plans);
}

ErrorOr<driver::Attempt> cli::attemptFor(const Job &job, const Step &step, const Sizes &sizes) {
  TILEWRIGHT_ASSIGN(driver::Attempt attempt, openAttempt(job, step, sizes));
  return withFound(std::move(attempt), foundPlans(job, step));
}

ErrorOr<std::vector<driver::Attempt>> cli::attemptsFor(const Job &job, const Step &step) {
  TILEWRIGHT_ASSIGN(driver::Attempt attempt, attemptFor(job, step, job.sizes));
  std::vector<driver::Attempt> attempts(step.plan ? 1 : step.text->plans.size(), attempt);
  if (!step.plan)
    for (size_t plan = 0; plan < attempts.size(); ++plan)
      attempts[plan].plan = plan;
  return attempts;
}

Status cli::choosePlans(Job &job) {
  for (Step &step : job.steps) {
    if (step.plan || step.text->plans.size() == 1)
      continue;
    TILEWRIGHT_ASSIGN(Operands operands, placeholders(job, step, job.sizes));
    TILEWRIGHT_ASSIGN(step.plan,
                      step.text->plans.choose(operands.call.arguments, job.multiprocessors));
  }
  return {};
}

llvm::StringMap<runtime::ExprValue> cli::valuesOf(const Job &job, const Step &step,
                                                  const Sizes &sizes) {
  llvm::StringMap<runtime::ExprValue> values;
  auto add = [&](const std::string &name, const ConstValue &value) {
    if (const bool *flag = std::get_if<bool>(&value))
      values[name] = int64_t(*flag);
    else if (const int64_t *number = std::get_if<int64_t>(&value))
      values[name] = *number;
  };
  for (const Param &param : step.signature().params)
    if (param.defaultValue)
      add(param.name, *param.defaultValue);
  for (const auto &[name, value] : step.settings)
    add(name, value);
  for (const auto &[name, value] : step.scalars) {
    runtime::ElementType type = job.typeOf(*step.signature().param(name));
    std::byte bytes[8];
    if (runtime::encodeScalar(value, type, bytes)) // the launch refuses what does not fit
      values[name] = runtime::decodeScalar(bytes, type);
  }
  for (const auto &[name, size] : sizes)
    values[name] = size;
  values[llvm::StringRef(runtime::kNumMultiprocessors)] = job.multiprocessors;
  return values;
}

planner::Launch cli::launchFor(const Job &job, const Step &step, const Sizes &sizes) {
  auto valueOf = [values = valuesOf(job, step, sizes)](
                     std::string_view name) -> std::optional<runtime::ExprValue> {
    auto found = values.find(llvm::StringRef(name.data(), name.size()));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  return {valueOf, job.multiprocessorsAtHand};
}

ErrorOr<driver::KernelWork> cli::workOf(const Job &job, const Sizes &sizes) {
  driver::KernelWork work;
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(driver::Attempt attempt, attemptFor(job, step, sizes));
    TILEWRIGHT_ASSIGN(driver::KernelWork next,
                      driver::workOf(step.text, attempt, launchFor(job, step, sizes)));
    work += next;
  }
  return work;
}

//===- What is missing ------------------------------------------------------------------------===//

/// A value that a scalar could have, as `--set` takes it.
static std::string exampleOf(const Param &scalar) {
  const char *value = frontend::isFloat(*scalar.dtype)         ? "0.5"
                      : *scalar.dtype == frontend::Dtype::Bool ? "true"
                                                               : "1";
  return scalar.name + "=" + value;
}

static Status checkScalars(const Step &step) {
  std::string missing, example;
  for (const Param &param : step.signature().params) {
    if (param.kind != Param::Scalar || step.scalars.contains(param.name))
      continue;
    missing += (missing.empty() ? "`" : ", `") + param.name + "` (" +
               frontend::dtypeName(*param.dtype).str() + ")";
    example += (example.empty() ? "" : ",") + exampleOf(param);
  }
  if (missing.empty())
    return {};
  return Error{"kernel `" + step.text->kernel + "`: the scalar " + missing +
               " has no default and must be given, for example `--set " + example + "`"};
}

Status cli::checkComplete(const Job &job) {
  std::string missing;
  for (const std::string &name : dimNames(job))
    if (!job.sizes.contains(name) && missing.find("`" + name + "`") == missing.npos)
      missing += (missing.empty() ? "`" : ", `") + name + "`";
  if (!missing.empty())
    return Error{"kernel `" + job.name + "`: the size of " + missing +
                 " must be given: `--shape NAME=SIZE,…`"};
  for (const Step &step : job.steps)
    TILEWRIGHT_TRY(checkScalars(step));
  return {};
}

std::string cli::str(const Sizes &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return text;
}
