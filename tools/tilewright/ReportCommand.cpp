// `tilewright compile --emit report`: what a kernel uses and how fast it could be.
#include "ir/Target.h"
#include "runtime/Driver.h"
#include "tools/driver/Resources.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Roofline.h"
#include "tools/tilewright/SimulatedStep.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

namespace {

std::string resources(const Step &step, const driver::Compiled &compiled, const Target &target) {
  driver::Resources resources = driver::resourcesOf(*step.text, compiled);
  std::string text = fmt::format("  configuration   {}\n", resources.configuration) +
                     fmt::format("  threads         {} per program\n", resources.threads);
  if (resources.hasMachineCode) {
    text += fmt::format("  registers       {} per thread\n", resources.registers) +
            fmt::format("  spills          {} bytes stored, {} loaded; {} bytes of local memory\n",
                        resources.spillStoreBytes, resources.spillLoadBytes, resources.localBytes) +
            fmt::format("  occupancy       {} programs, {} of {} threads per SM (limit: {})\n",
                        resources.occupancy.programs, resources.occupancy.threads,
                        target.threadsPerSm, resources.occupancy.limit);
  }
  text += fmt::format("  shared memory   {} of {} bytes per program\n", resources.sharedBytes,
                      target.smem);
  for (const std::string &note : compiled.kernel.compiled().performanceNotes)
    text += "  note            " + note + "\n";
  for (const std::string &reason : compiled.rejected)
    text += "  rejected        " + reason + "\n";
  return text;
}

std::string roofline(const Job &job, const JobWork &work) {
  std::string text = fmt::format("  FLOPs           {:.4g} ({})\n", work.flops,
                                 work.hasProducts ? "matrix products" : "elementwise") +
                     fmt::format("  bytes           {:.4g} (every tensor once)\n", work.bytes) +
                     fmt::format("  intensity       {:.4g} FLOP per byte\n", work.intensity());
  std::string gpu;
  if (auto driver = runtime::Driver::get(); driver && !(*driver)->devices().empty())
    if (const runtime::DeviceInfo &device = (*driver)->devices().front();
        device.target() == job.config.passTarget())
      gpu = device.name;
  const Peak *peak = findPeak(gpu, job.config.passTarget());
  if (!peak)
    return text + "  roofline        no peak rates are known for " + job.config.target + "\n";
  return text + fmt::format("  roofline        {:.4g} us at least on {}, bound by {}\n",
                            work.bound(*peak) * 1e6, peak->gpu,
                            work.isMemoryBound(*peak) ? "memory" : "arithmetic");
}

/// What the first program does, counted in the machine simulator.
ErrorOr<std::string> countedWork(const Job &alone, const driver::Attempt &attempt) {
  TILEWRIGHT_ASSIGN(Sizes sizes, sizesToCheck(alone, kSimulatorBudget));
  HostTensors tensors = makeTensors(alone, sizes, /*seed=*/1);
  simulator::MachineOptions options;
  options.maxBlocks = 1;
  options.detectRaces = false;
  TILEWRIGHT_ASSIGN(SimulatedStep done,
                    simulateStep(alone, alone.steps.front(), attempt, sizes, tensors, options));
  return fmt::format("  simulated       the first program of {}, with {}\n", done.launch.grid,
                     str(sizes)) +
         describe(done.launch.result.counters);
}

} // namespace

ErrorOr<std::string> cli::report(const Job &job) {
  std::string text;
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(driver::Attempt attempt, attemptFor(job, step, job.sizes));
    TILEWRIGHT_ASSIGN(driver::Compiled compiled, driver::compile(step.text, attempt));
    text += fmt::format("{} on {}\n", step.text->kernel, job.config.target) +
            resources(step, compiled, *findTarget(job.config.passTarget()));
    Job alone = job;
    alone.steps = {step};
    if (!checkComplete(alone)) {
      text += "  (give every `--shape` for FLOPs, bytes and the roofline)\n";
      continue;
    }
    TILEWRIGHT_ASSIGN(JobWork work, workOf(alone, job.sizes));
    text += fmt::format("  sizes           {}\n", str(job.sizes)) + roofline(job, work);
    TILEWRIGHT_ASSIGN(std::string counted, countedWork(alone, compiled.attempt));
    text += counted;
  }
  return text;
}
