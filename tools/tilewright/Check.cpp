#include "tools/tilewright/Check.h"

#include "tools/driver/Interpret.h"
#include "tools/driver/LaunchExprs.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

using namespace tilewright;
using namespace tilewright::cli;
using frontend::Param;

std::map<std::string, Access> cli::accesses(const Job &job) {
  std::map<std::string, Access> result;
  for (const Step &step : job.steps)
    for (const Param &param : step.signature().params) {
      if (param.kind != Param::Tensor || step.absent.contains(param.name))
        continue;
      Access &access = result[param.name];
      access.read |= param.read && !access.written;
      access.written |= param.written;
    }
  return result;
}

HostTensors cli::makeTensors(const Job &job, const Sizes &sizes, uint64_t seed) {
  HostTensors tensors;
  std::map<std::string, Access> access = accesses(job);
  for (const Step &step : job.steps)
    for (const Param &param : step.signature().params) {
      if (!access.contains(param.name) || tensors.contains(param.name) ||
          param.kind != Param::Tensor)
        continue;
      HostTensor tensor(job.typeOf(param), job.shapeOf(param, sizes));
      auto deviation = job.deviations.find(param.name);
      if (access[param.name].read)
        job.fill(tensor, param.name, sizes, seed + 1000 * tensors.size(),
                 deviation == job.deviations.end() ? 1 : deviation->second);
      else
        tensor.poison();
      tensors.emplace(param.name, std::move(tensor));
    }
  return tensors;
}

static Status interpretStep(const Job &job, const Step &step, const Sizes &sizes,
                            HostTensors &tensors, const InterpretOptions &wanted) {
  auto address = [&](const std::string &name) -> void * { return tensors[name].bytes.data(); };
  TILEWRIGHT_ASSIGN(Operands operands, makeOperands(job, step, sizes, address, -1));
  TILEWRIGHT_ASSIGN(frontend::Specialisation bound,
                    driver::specialise(step.signature(), operands.call, step.settings));
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::KernelModule::lower(step.text, bound, step.plan.value_or(0)));
  if (wanted.optimized)
    TILEWRIGHT_TRY(module.run(job.config.options(), passes::Stage::Tile));
  simulator::Options options;
  options.perturbation = wanted.perturbation;
  if (step.text->plans
          .asksMultiprocessors()) // the number with which the plan's condition was evaluated
    options.multiprocessors = job.multiprocessors;
  TILEWRIGHT_TRY(driver::interpret(module, operands.call, options));
  return {};
}

Status cli::interpretJob(const Job &job, const Sizes &sizes, HostTensors &tensors,
                         const InterpretOptions &options) {
  for (const Step &step : job.steps)
    TILEWRIGHT_TRY(interpretStep(job, step, sizes, tensors, options));
  return {};
}

driver::DataHints cli::hintsFor(const Job &job, const Step &step, uint64_t seed) {
  driver::DataHints hints{job.deviations, {}};
  for (const frontend::Param &param : step.signature().params) {
    if (param.kind != frontend::Param::Tensor || !param.read || step.absent.contains(param.name) ||
        info(job.typeOf(param)).kind == runtime::ElementKind::Float)
      continue;
    HostTensor tensor(job.typeOf(param), job.shapeOf(param, job.sizes));
    job.fill(tensor, param.name, job.sizes, seed, 1);
    hints.contents[param.name] = std::move(tensor.bytes);
  }
  return hints;
}

Status cli::checkSizes(const Job &job, const Sizes &sizes) {
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(driver::Attempt attempt, openAttempt(job, step, sizes));
    TILEWRIGHT_ASSIGN(driver::KernelModule module,
                      driver::KernelModule::lower(step.text, attempt.specialisation, attempt.plan));
    llvm::StringMap<runtime::ExprValue> values = valuesOf(job, step, sizes);
    TILEWRIGHT_ASSIGN(std::vector<runtime::LaunchCheck> checks,
                      driver::launchChecks(module.kernel()));
    for (const runtime::LaunchCheck &check : checks) {
      std::vector<runtime::ExprValue> used;
      for (const std::string &name : check.condition.names())
        used.push_back(values.lookup(name));
      TILEWRIGHT_ASSIGN(int64_t holds, check.condition.eval(used));
      if (!holds)
        return Error{fmt::format("{}: {} ({} is false: {})", check.location,
                                 check.message.empty() ? "assertion failed" : check.message,
                                 check.condition.str(), check.condition.describeValues(used))};
    }
  }
  return {};
}

/// About half of a size. If it was a multiple of a number, such as rows of whole 16 bytes, the half
/// is one too, if possible.
static int64_t halfOf(int64_t size) {
  int64_t half = (size + 1) / 2, unit = std::gcd<int64_t>(size, 16);
  int64_t whole = (half + unit - 1) / unit * unit;
  return whole < size ? whole : half;
}

ErrorOr<Sizes> cli::sizesToCheck(const Job &job, const Budget &budget) {
  std::set<std::string> fixed;
  for (const Step &step : job.steps)
    for (const frontend::DimInfo &dim : step.signature().dims)
      if (dim.isStatic)
        fixed.insert(dim.name);
  Sizes sizes = job.sizes;
  std::set<int64_t> stuck;
  for (;;) {
    TILEWRIGHT_ASSIGN(driver::KernelWork work, workOf(job, sizes));
    double elements = std::max(work.elementOps, work.bytes / 4);
    if (work.productFlops <= budget.flops && elements <= budget.elements)
      return sizes;
    int64_t largest = 1;
    for (const auto &[name, size] : sizes)
      if (!fixed.contains(name) && !stuck.contains(size))
        largest = std::max(largest, size);
    if (largest == 1)
      return sizes;
    Sizes smaller = sizes;
    for (auto &[name, size] : smaller)
      if (size == largest && !fixed.contains(name))
        size = halfOf(size);
    if (checkSizes(job, smaller))
      sizes = std::move(smaller);
    else
      stuck.insert(largest);
  }
}

std::string cli::describeDifference(const Job &job, const std::string &name,
                                    const HostTensor &reference, const Comparison &result) {
  return fmt::format(
      "`{}` of kernel `{}` differs from the reference in {} of {} elements, first at {}: {:.6g} "
      "instead of {:.6g}",
      name, job.name, result.mismatches, reference.size(),
      coordinates(result.first, reference.shape), result.firstFound, result.firstExpected);
}

/// "`S` is 0" for an empty tensor.
static std::string emptyAxis(const Job &job, const std::string &name, const HostTensor &tensor) {
  size_t axis = llvm::find(tensor.shape, 0) - tensor.shape.begin();
  for (const Step &step : job.steps)
    if (const Param *param = step.signature().param(name))
      return "`" + param->dims[axis].name + "` is 0";
  return "a size is 0";
}

/// Results of the reference with other intermediate roundings, for two seeds.
static ErrorOr<std::vector<HostTensors>> perturbedOutputs(const Job &job, const Sizes &sizes,
                                                          uint64_t seed) {
  std::vector<HostTensors> results;
  for (uint64_t perturbation : {1, 2}) {
    results.push_back(makeTensors(job, sizes, seed));
    TILEWRIGHT_TRY(interpretJob(job, sizes, results.back(), {.perturbation = perturbation}));
  }
  return results;
}

static void print(const std::string &name, const HostTensor &reference, const Comparison &result) {
  std::string spread =
      result.spread == 0
          ? ""
          : fmt::format(", and {:.3g} for the program's own roundings", result.spread);
  fmt::print("  {:8} {:5} max error {:.3g} absolute, {:.3g} relative (allowed {:.3g}{}): {}\n",
             name, std::string(nameOf(reference.type)), result.maxAbsolute, result.maxRelative,
             result.tolerance, spread, result.ok() ? "ok" : "WRONG");
}

Status cli::compareOutputs(const Job &job, const Sizes &sizes, uint64_t seed,
                           const HostTensors &found, const HostTensors &expected) {
  Status outcome;
  std::vector<HostTensors> perturbed; // once an output differs
  for (const auto &[name, access] : accesses(job)) {
    if (!access.written)
      continue;
    const HostTensor &reference = expected.at(name);
    if (reference.size() == 0) {
      fmt::print("  {:8} {:5} no elements, since {}: ok\n", name,
                 std::string(nameOf(reference.type)), emptyAxis(job, name, reference));
      continue;
    }
    Comparison result = compare(found.at(name), reference);
    if (!result.ok()) {
      if (perturbed.empty()) {
        TILEWRIGHT_ASSIGN(perturbed, perturbedOutputs(job, sizes, seed));
      }
      result = compare(found.at(name), reference, {&perturbed[0].at(name), &perturbed[1].at(name)});
    }
    print(name, reference, result);
    if (!result.ok() && outcome)
      outcome = Error{describeDifference(job, name, reference, result)};
  }
  return outcome;
}
