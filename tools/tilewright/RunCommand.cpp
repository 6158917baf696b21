// `tilewright run`: random inputs, the reference interpreter as the check, the GPU if there is one.
#include "tools/driver/FiniteDifferences.h"
#include "tools/driver/Plans.h"
#include "tools/tilewright/Check.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Gpu.h"
#include "tools/tilewright/SimulatedStep.h"
#include "tools/tilewright/TimelineFile.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

namespace {

/// About a few seconds of the reference on two cores.
constexpr Budget kReferenceBudget{.flops = 5e10, .elements = 1e8};

/// What is run several times in f64.
constexpr Budget kDifferencesBudget{.flops = 1e9, .elements = 1e6};

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of a gradient: whether it is that of its forward.
Status checkDifferences(const Job &job, uint64_t seed) {
  TILEWRIGHT_ASSIGN(Sizes sizes, sizesToCheck(job, kDifferencesBudget));
  HostTensors tensors = makeTensors(job, sizes, seed);
  auto address = [&](const std::string &name) -> void * { return tensors[name].bytes.data(); };
  const Step &step = job.steps.front();
  TILEWRIGHT_ASSIGN(Operands operands, makeOperands(job, step, sizes, address, -1));
  TILEWRIGHT_ASSIGN(frontend::Specialisation bound,
                    driver::specialise(step.signature(), operands.call, step.settings));
  TILEWRIGHT_ASSIGN(std::vector<driver::DirectionalDerivative> found,
                    driver::compareWithDifferences(step.text, bound, operands.call, seed));
  fmt::print("the gradient against differences of the forward, in f64 ({}):\n", str(sizes));
  Status outcome;
  for (const driver::DirectionalDerivative &derivative : found) {
    fmt::print("  by {:8} {:.10g} instead of {:.10g}, error {:.2g} (allowed {:.2g}): {}\n",
               derivative.tensor, derivative.computed, derivative.expected, derivative.error,
               derivative.kAllowed, derivative.ok() ? "ok" : "WRONG");
    if (!derivative.ok() && outcome)
      outcome = Error{"the gradient of kernel `" + step.text->forward->kernel + "` by `" +
                      derivative.tensor + "` is not what differences are"};
  }
  return outcome;
}

/// For a program of the `cta` level, which the interpreter runs, the simulator runs the generated
/// instructions.
Status simulateOnCpu(const Job &job, uint64_t seed) {
  TILEWRIGHT_ASSIGN(Sizes sizes, sizesToCheck(job, kSimulatorBudget));
  HostTensors expected = makeTensors(job, sizes, seed), found = expected;
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(driver::Attempt wanted, attemptFor(job, step, sizes));
    TILEWRIGHT_ASSIGN(SimulatedStep done, simulateStep(job, step, wanted, sizes, found, {}));
    if (!done.launch.result.isClean())
      return Error{done.launch.messages};
  }
  TILEWRIGHT_TRY(interpretJob(job, sizes, expected));
  fmt::print("its instructions, simulated, against the reference ({}):\n", str(sizes));
  return compareOutputs(job, sizes, seed, found, expected);
}

Status checkOnCpu(const Job &job, const Sizes &sizes, uint64_t seed) {
  if (job.steps.front().text->isCta())
    return simulateOnCpu(job, seed);
  HostTensors expected = makeTensors(job, sizes, seed), found = expected;
  auto start = std::chrono::steady_clock::now();
  TILEWRIGHT_TRY(interpretJob(job, sizes, expected));
  fmt::print("reference: {} in {:.2f} s on the CPU\n", str(sizes), secondsSince(start));
  TILEWRIGHT_TRY(interpretJob(job, sizes, found, {.optimized = true}));
  fmt::print("the kernel as the tile passes leave it, against the reference:\n");
  return compareOutputs(job, sizes, seed, found, expected);
}

Status checkOnGpu(const runtime::Driver &driver, const Job &job, const Sizes &sizes,
                  uint64_t seed) {
  HostTensors expected = makeTensors(job, sizes, seed), found = expected;
  TILEWRIGHT_ASSIGN(GpuJob gpu, GpuJob::create(driver, job, sizes, found));
  TILEWRIGHT_TRY(gpu.run());
  for (auto &[name, tensor] : found)
    TILEWRIGHT_TRY(gpu.download(name, tensor));
  auto start = std::chrono::steady_clock::now();
  TILEWRIGHT_TRY(interpretJob(job, sizes, expected));
  fmt::print("GPU against the reference ({}; {:.2f} s on the CPU):\n", str(sizes),
             secondsSince(start));
  return compareOutputs(job, sizes, seed, found, expected);
}

/// How a kernel was compiled with stamps that is not how it runs without; empty if it is the same.
std::string changeBy(const driver::Compiled &plain, const driver::Compiled &stamped) {
  if (plain.attempt.config.planText == stamped.attempt.config.planText &&
      plain.attempt.specialisation.consts == stamped.attempt.specialisation.consts)
    return "";
  std::string why = stamped.rejected.empty() ? "" : ": " + stamped.rejected.back();
  return "with stamps another plan runs" + why;
}

/// How much longer `stamped` takes than `plain`: the median of rounds in turns, since clocks drift.
ErrorOr<double> overheadOf(GpuJob &plain, GpuJob &stamped, unsigned repeat) {
  constexpr unsigned kRounds = 11;
  unsigned each = repeat / kRounds + 1;
  std::vector<double> overheads;
  for (unsigned round = 0; round < kRounds; ++round) {
    TILEWRIGHT_ASSIGN(double before, plain.time(each));
    TILEWRIGHT_ASSIGN(double with, stamped.time(each));
    overheads.push_back(with / before - 1);
  }
  std::nth_element(overheads.begin(), overheads.begin() + kRounds / 2, overheads.end());
  return overheads[kRounds / 2];
}

/// A job with time stamps, which has run.
struct StampedJob {
  Job job;
  GpuJob gpu;
  double overhead; ///< The share by which stamps slow it.
};

ErrorOr<StampedJob> stamp(const runtime::Driver &driver, const Job &job, const RunOptions &options,
                          GpuJob &plain) {
  TILEWRIGHT_ASSIGN(Job stamped, withTimeline(job, options.timeline));
  TILEWRIGHT_ASSIGN(GpuJob gpu, GpuJob::create(driver, stamped, stamped.sizes,
                                               makeTensors(job, job.sizes, options.seed)));
  TILEWRIGHT_TRY(gpu.run());
  TILEWRIGHT_ASSIGN(double overhead, overheadOf(plain, gpu, options.repeat));
  fmt::print("with stamps ({}) it takes {:+.1f} %\n", options.timeline.detail, 100 * overhead);
  return StampedJob{std::move(stamped), std::move(gpu), overhead};
}

/// Stamps what the user wants, or as much as the kernel bears.
ErrorOr<StampedJob> stampAsMuchAsFits(const runtime::Driver &driver, const Job &job,
                                      RunOptions options, GpuJob &plain) {
  if (!options.timeline.detail.empty())
    return stamp(driver, job, options, plain);
  for (std::string_view detail : kTimelineDetails) {
    options.timeline.detail = detail;
    TILEWRIGHT_ASSIGN(StampedJob stamped, stamp(driver, job, options, plain));
    if (stamped.overhead < kTimelineOverhead || detail == detailName(TimelineDetail::Tiles))
      return stamped;
  }
  llvm_unreachable("the last detail is always taken");
}

/// Runs the job with time stamps. `plain` is the same without.
Status showTimeline(const runtime::Driver &driver, const Job &job, const RunOptions &options,
                    GpuJob &plain) {
  TILEWRIGHT_ASSIGN(StampedJob found, stampAsMuchAsFits(driver, job, options, plain));
  auto &[stamped, gpu, overhead] = found;
  driver::TimelineRun run{.from = driver.devices().front().name, .overhead = overhead};
  for (size_t i = 0; i < job.steps.size(); ++i) {
    const driver::Compiled &kernel = gpu.kernels()[i];
    if (std::string change = changeBy(plain.kernels()[i], kernel); !change.empty())
      fmt::print("{}\n", change);
    TILEWRIGHT_ASSIGN(driver::Translated translated,
                      driver::translate(stamped.steps[i].text, kernel.attempt));
    TILEWRIGHT_ASSIGN(std::vector<std::byte> records, gpu.events(i));
    TILEWRIGHT_TRY(reportTimeline(options.timeline, stamped, stamped.steps[i],
                                  {*translated.outline.timeline, std::move(records)}, run));
  }
  return {};
}

Status timeOnGpu(const runtime::Driver &driver, const Job &job, const RunOptions &options) {
  TILEWRIGHT_ASSIGN(GpuJob gpu, GpuJob::create(driver, job, job.sizes,
                                               makeTensors(job, job.sizes, options.seed)));
  for (const driver::Compiled &kernel : gpu.kernels())
    for (const std::string &reason : kernel.rejected)
      fmt::print("rejected: {}\n", reason);
  TILEWRIGHT_TRY(gpu.run());
  TILEWRIGHT_ASSIGN(double milliseconds, gpu.time(options.repeat));
  TILEWRIGHT_ASSIGN(driver::KernelWork work, workOf(job, job.sizes));
  double seconds = milliseconds * 1e-3;
  const driver::Peak *peak = driver::findPeak(driver.devices().front().name, job.config.target);
  bool byMemory = peak ? work.isMemoryBound(*peak) : !work.hasProducts;
  std::string rate = byMemory ? fmt::format("{:.0f} GB/s", work.bytes / seconds * 1e-9)
                              : fmt::format("{:.1f} TFLOP/s", work.flops() / seconds * 1e-12);
  fmt::print("{}: {:.4g} us (median of {}, L2 flushed), {}", str(job.sizes), milliseconds * 1e3,
             options.repeat, rate);
  if (peak)
    fmt::print(", {:.1f} % of the roofline ({})", 100 * work.bound(*peak) / seconds,
               byMemory ? "memory" : "arithmetic");
  fmt::print("\n");
  return options.timeline.file.empty() ? Status() : showTimeline(driver, job, options, gpu);
}

} // namespace

/// The GPU that runs the job, and its driver; or the reason why there is none.
static ErrorOr<const runtime::Driver *> findGpu() {
  TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
  if (driver->devices().empty())
    return Error{"the driver reports none"};
  return driver;
}

Status cli::run(const RunOptions &options) {
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  TILEWRIGHT_TRY(checkComplete(job));
  ErrorOr<const runtime::Driver *> driver = findGpu();
  if (driver)
    job.multiprocessors = (*driver)->devices().front().multiprocessors;
  TILEWRIGHT_TRY(choosePlans(job));
  TILEWRIGHT_TRY(checkSizes(job, job.sizes));
  TILEWRIGHT_ASSIGN(Sizes checked, sizesToCheck(job, kReferenceBudget));
  fmt::print("{}: {}\n", job.name, str(job.sizes));
  for (const Step &step : job.steps)
    if (step.plan)
      fmt::print("{}\n", driver::describePlan(*step.text, *step.plan));
  if (options.check && job.steps.front().text->forward)
    TILEWRIGHT_TRY(checkDifferences(job, options.seed));
  if (options.check && checked != job.sizes)
    fmt::print("the check uses smaller sizes: the reference is slow\n");
  if (!driver) {
    fmt::print("no GPU: {}\n", driver.error().message);
    if (!options.timeline.file.empty())
      return Error{"a timeline of nanoseconds needs a GPU; `tilewright simulate --timeline` makes "
                   "one of instructions"};
    return checkOnCpu(job, checked, options.seed);
  }
  const runtime::DeviceInfo &gpu = (*driver)->devices().front();
  if (options.kernel.target.empty())
    job.config.target = gpu.target(); // also of a program that names another
  fmt::print("GPU: {}\n", gpu.name);
  if (options.check)
    TILEWRIGHT_TRY(checkOnGpu(**driver, job, checked, options.seed));
  return timeOnGpu(**driver, job, options);
}
