// `tilewright run`: random inputs, the reference interpreter as the check, the GPU if there is one.
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Gpu.h"
#include "tools/tilewright/Roofline.h"

#include "ir/tile/Tile.h"
#include "tools/driver/LaunchExprs.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;
using frontend::Param;

namespace {

/// What the reference does in a few seconds on two cores.
constexpr double kReferenceFlops = 5e10, kReferenceElements = 1e8;

struct Access {
  bool read = false, written = false;
};

/// All tensors of a job with what its steps do to them. What an earlier step writes is no input.
std::map<std::string, Access> accesses(const Job &job) {
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

/// Random inputs and poisoned outputs.
HostTensors makeTensors(const Job &job, const Sizes &sizes, uint64_t seed) {
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
        tensor.randomize(seed + 1000 * tensors.size(),
                         deviation == job.deviations.end() ? 1 : deviation->second);
      else
        tensor.poison();
      tensors.emplace(param.name, std::move(tensor));
    }
  return tensors;
}

/// Runs one step in the interpreter. `optimized` runs it as the tile passes leave it.
Status interpretStep(const Job &job, const Step &step, const Sizes &sizes, HostTensors &tensors,
                     bool optimized) {
  auto address = [&](const std::string &name) -> void * { return tensors[name].bytes.data(); };
  TILEWRIGHT_ASSIGN(Operands operands, makeOperands(job, step, sizes, address, -1));
  driver::Attempt attempt{job.config, {}};
  TILEWRIGHT_ASSIGN(attempt.specialisation,
                    driver::specialise(step.signature(), operands.call, step.settings));
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::KernelModule::lower(step.text, attempt.specialisation));
  if (optimized)
    TILEWRIGHT_TRY(module.run(driver::pipelineOptions(job.config), passes::Stage::Tile));
  std::deque<simulator::Buffer> buffers;
  std::vector<simulator::Argument> arguments;
  for (size_t i = 0; i < operands.call.arguments.size(); ++i) {
    const runtime::Argument &argument = operands.call.arguments[i];
    if (const auto *tensor = std::get_if<runtime::TensorRef>(&argument)) {
      const HostTensor &host = tensors[operands.call.params[i]->name];
      auto view = mlir::cast<tile::ViewType>(module.kernel().getArgumentTypes()[i]);
      buffers.push_back({view.getElementType(), tensor->data, host.size(), true});
      arguments.push_back(simulator::makeView(buffers.back(), host.shape));
    } else if (const auto *number = std::get_if<int64_t>(&argument)) {
      arguments.push_back(*number);
    } else if (const auto *flag = std::get_if<bool>(&argument)) {
      arguments.push_back(int64_t(*flag));
    } else {
      arguments.push_back(std::get<double>(argument));
    }
  }
  TILEWRIGHT_TRY(module.interpret(arguments));
  return {};
}

Status interpretJob(const Job &job, const Sizes &sizes, HostTensors &tensors, bool optimized) {
  for (const Step &step : job.steps)
    TILEWRIGHT_TRY(interpretStep(job, step, sizes, tensors, optimized));
  return {};
}

/// Fails if the job cannot be run with these sizes: an assert that the host checks does not hold,
/// or a compile-time size is not accepted.
Status checkSizes(const Job &job, const Sizes &sizes) {
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(driver::Attempt attempt, attemptFor(job, step, sizes));
    TILEWRIGHT_ASSIGN(driver::KernelModule module,
                      driver::KernelModule::lower(step.text, attempt.specialisation));
    llvm::StringMap<int64_t> values = valuesOf(job, step, sizes);
    for (const runtime::LaunchCheck &check : driver::launchChecks(module.kernel())) {
      std::vector<int64_t> used;
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

/// Sizes that the reference can do: the largest run-time dimensions halved, equal ones together,
/// until the work is small. Compile-time dimensions stay, so that the same code is checked.
ErrorOr<Sizes> sizesToCheck(const Job &job) {
  std::set<std::string> fixed;
  for (const Step &step : job.steps)
    for (const frontend::DimInfo &dim : step.signature().dims)
      if (dim.isStatic)
        fixed.insert(dim.name);
  Sizes sizes = job.sizes;
  std::set<int64_t> stuck;
  for (;;) {
    TILEWRIGHT_ASSIGN(JobWork work, workOf(job, sizes));
    double elements = std::max(work.elementOps, work.bytes / 4);
    if (work.flops - (work.hasProducts ? 0 : work.flops) <= kReferenceFlops &&
        elements <= kReferenceElements)
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
        size = (size + 1) / 2;
    if (checkSizes(job, smaller))
      sizes = std::move(smaller);
    else
      stuck.insert(largest);
  }
}

/// Prints the comparison of every output; fails on the first that differs too much.
Status compareOutputs(const Job &job, const HostTensors &found, const HostTensors &expected) {
  Status outcome;
  for (const auto &[name, access] : accesses(job)) {
    if (!access.written)
      continue;
    const HostTensor &reference = expected.at(name);
    Comparison result = compare(found.at(name), reference);
    fmt::print("  {:8} {:5} max error {:.3g} absolute, {:.3g} relative (allowed {:.3g}): {}\n",
               name, std::string(nameOf(reference.type)), result.maxAbsolute, result.maxRelative,
               result.tolerance, result.ok() ? "ok" : "WRONG");
    if (result.ok() || !outcome)
      continue;
    outcome = Error{fmt::format(
        "`{}` of kernel `{}` differs from the reference in {} of {} elements, first at {}: {:.6g} "
        "instead of {:.6g}",
        name, job.name, result.mismatches, reference.size(),
        coordinates(result.first, reference.shape), result.firstFound, result.firstExpected)};
  }
  return outcome;
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Status checkOnCpu(const Job &job, const Sizes &sizes, uint64_t seed) {
  HostTensors expected = makeTensors(job, sizes, seed), found = expected;
  auto start = std::chrono::steady_clock::now();
  TILEWRIGHT_TRY(interpretJob(job, sizes, expected, /*optimized=*/false));
  fmt::print("reference: {} in {:.2f} s on the CPU\n", str(sizes), secondsSince(start));
  TILEWRIGHT_TRY(interpretJob(job, sizes, found, /*optimized=*/true));
  fmt::print("the kernel as the tile passes leave it, against the reference:\n");
  return compareOutputs(job, found, expected);
}

Status checkOnGpu(const runtime::Driver &driver, const Job &job, const Sizes &sizes,
                  uint64_t seed) {
  HostTensors expected = makeTensors(job, sizes, seed), found = expected;
  TILEWRIGHT_ASSIGN(GpuJob gpu, GpuJob::create(driver, job, sizes, found));
  TILEWRIGHT_TRY(gpu.run());
  for (auto &[name, tensor] : found)
    TILEWRIGHT_TRY(gpu.download(name, tensor));
  auto start = std::chrono::steady_clock::now();
  TILEWRIGHT_TRY(interpretJob(job, sizes, expected, /*optimized=*/false));
  fmt::print("GPU against the reference ({}; {:.2f} s on the CPU):\n", str(sizes),
             secondsSince(start));
  return compareOutputs(job, found, expected);
}

Status timeOnGpu(const runtime::Driver &driver, const Job &job, const RunOptions &options) {
  TILEWRIGHT_ASSIGN(GpuJob gpu, GpuJob::create(driver, job, job.sizes,
                                               makeTensors(job, job.sizes, options.seed)));
  for (const driver::Compiled &kernel : gpu.kernels())
    for (const std::string &reason : kernel.rejected)
      fmt::print("rejected: {}\n", reason);
  TILEWRIGHT_TRY(gpu.run());
  TILEWRIGHT_ASSIGN(double milliseconds, gpu.time(options.repeat));
  TILEWRIGHT_ASSIGN(JobWork work, workOf(job, job.sizes));
  double seconds = milliseconds * 1e-3;
  const Peak *peak = findPeak(driver.devices().front().name, job.config.target);
  bool byMemory = peak ? work.isMemoryBound(*peak) : !work.hasProducts;
  std::string rate = byMemory ? fmt::format("{:.0f} GB/s", work.bytes / seconds * 1e-9)
                              : fmt::format("{:.1f} TFLOP/s", work.flops / seconds * 1e-12);
  fmt::print("{}: {:.4g} us (median of {}, L2 flushed), {}", str(job.sizes), milliseconds * 1e3,
             options.repeat, rate);
  if (peak)
    fmt::print(", {:.1f} % of the roofline ({})", 100 * work.bound(*peak) / seconds,
               byMemory ? "memory" : "arithmetic");
  fmt::print("\n");
  return {};
}

} // namespace

Status cli::run(const RunOptions &options) {
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  TILEWRIGHT_TRY(checkComplete(job));
  TILEWRIGHT_TRY(checkSizes(job, job.sizes));
  TILEWRIGHT_ASSIGN(Sizes checked, sizesToCheck(job));
  fmt::print("{}: {}\n", job.name, str(job.sizes));
  if (options.check && checked != job.sizes)
    fmt::print("the check uses smaller sizes: the reference is slow\n");
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (!driver || (*driver)->devices().empty()) {
    fmt::print("no GPU: {}\n", driver ? "the driver reports none" : driver.error().message);
    return checkOnCpu(job, checked, options.seed);
  }
  fmt::print("GPU: {}\n", (*driver)->devices().front().name);
  if (options.check)
    TILEWRIGHT_TRY(checkOnGpu(**driver, job, checked, options.seed));
  return timeOnGpu(**driver, job, options);
}
