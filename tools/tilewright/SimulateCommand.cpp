// `tilewright simulate`: runs a kernel's instructions on the CPU and reports all findings.
#include "tools/driver/Plans.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/SimulatedStep.h"
#include "tools/tilewright/TimelineFile.h"
#include "tools/tilewright/Trace.h"

#include <chrono>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

/// Runs one step on the tensors and prints the results; fails with the findings.
static Status simulateAndPrint(const Job &job, const Step &step, const Sizes &sizes,
                               HostTensors &tensors, const simulator::MachineOptions &options,
                               const TimelineOptions &timeline) {
  auto start = std::chrono::steady_clock::now();
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, attemptFor(job, step, sizes));
  TILEWRIGHT_ASSIGN(SimulatedStep done, simulateStep(job, step, wanted, sizes, tensors, options));
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const simulator::MachineResult &result = done.launch.result;
  fmt::print("{} on {}: {} programs of {} threads in {:.2f} s\n", step.text->kernel,
             job.config.target, done.launch.grid, done.simulation.source().threads, seconds);
  if (step.plan)
    fmt::print("  {}\n", driver::describePlan(*step.text, *step.plan));
  fmt::print("{}", describe(result.counters));
  if (result.runs > 1)
    fmt::print("  schedules       {}{}\n", result.runs, result.complete ? ", all" : ", not all");
  if (!timeline.file.empty() && done.launch.grid > 0)
    TILEWRIGHT_TRY(reportTimeline(timeline, job, step,
                                  {*driver::timelineTable(done.simulation.kernel()),
                                   std::move(done.launch.events), /*isSimulated=*/true},
                                  {.from = "simulator"}));
  return result.isClean() ? Status() : Status(Error{done.launch.messages});
}

Status cli::simulate(const SimulateOptions &options) {
  simulator::MachineOptions machine;
  std::string open = options.timeline.file.empty() ? "eager" : "timed";
  machine.schedule = *simulator::scheduleByName(options.schedule.empty() ? open : options.schedule);
  machine.seed = options.seed;
  machine.maxRuns = options.maxRuns;
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  TILEWRIGHT_ASSIGN(job, withTimeline(std::move(job), options.timeline));
  TILEWRIGHT_TRY(checkComplete(job));
  TILEWRIGHT_TRY(choosePlans(job));
  TILEWRIGHT_TRY(checkSizes(job, job.sizes));
  TILEWRIGHT_ASSIGN(Sizes sizes, sizesToCheck(job, kSimulatorBudget));
  if (sizes != job.sizes)
    fmt::print("simulated with smaller sizes: {}\n", str(sizes));
  HostTensors found = makeTensors(job, sizes, options.seed + 1), expected = found;
  TraceFile trace;
  if (!options.trace.empty())
    machine.trace = &trace;
  Status outcome;
  for (const Step &step : job.steps)
    if (outcome)
      outcome = simulateAndPrint(job, step, sizes, found, machine, options.timeline);
  // A timeline helps most after a failure.
  if (!options.trace.empty())
    TILEWRIGHT_TRY(trace.write(options.trace));
  TILEWRIGHT_TRY(std::move(outcome));
  TILEWRIGHT_TRY(interpretJob(job, sizes, expected));
  fmt::print("no findings; against the reference:\n");
  return compareOutputs(job, sizes, options.seed + 1, found, expected);
}
