// `tilewright compile --emit report`: what a kernel uses and how fast it could be.
#include "ir/Target.h"
#include "runtime/Driver.h"
#include "tools/driver/Plans.h"
#include "tools/driver/Resources.h"
#include "tools/driver/RoleLoops.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/SimulatedStep.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

namespace {

std::string registers(const driver::Resources &resources, const Target &target) {
  if (!resources.hasMachineCode)
    return "";
  return fmt::format("  registers       {} per thread\n", resources.registers) +
         fmt::format("  spills          {} bytes stored, {} loaded; {} bytes of local memory\n",
                     resources.spillStoreBytes, resources.spillLoadBytes, resources.localBytes) +
         fmt::format("  occupancy       {} programs, {} of {} threads per SM (limit: {})\n",
                     resources.occupancy.programs, resources.occupancy.threads, target.threadsPerSm,
                     resources.occupancy.limit);
}

/// With the contents of each part.
std::string sharedMemory(const driver::Resources &resources, const driver::Outline &outline,
                         const Target &target) {
  std::string text = fmt::format("  shared memory   {} of {} bytes per program\n",
                                 resources.sharedBytes, target.smem);
  for (const driver::SharedOutline &piece : outline.shared)
    text += fmt::format("    {:>6} + {:<6}  {}\n", piece.offset, piece.bytes, piece.contents);
  return text;
}

/// The loops of the roles, by kinds of instructions.
std::string roles(const Step &step, const driver::Compiled &compiled,
                  const driver::Outline &outline) {
  const runtime::CompiledKernel &compiledCode = compiled.kernel.compiled();
  if (outline.roles.empty() || compiledCode.text.cubin.empty())
    return "";
  auto read = step.text->isCta() ? driver::roleCode : driver::roleCodeByRegisters;
  driver::RoleCode code = read(outline, compiled.kernel.source().entry, compiledCode);
  std::vector<driver::RoleLoop> loops = driver::roleLoops(code);
  std::string text;
  for (const driver::RoleOutline &role : outline.roles) {
    int64_t budget = role.registers.value_or(compiledCode.resources.registers);
    unsigned used = driver::registersOf(code, role);
    text += fmt::format("  role \"{}\": warps {}, {}{} registers\n", role.name, role.warps,
                        used ? fmt::format("{} of ", used) : "", budget);
    for (const driver::RoleLoop &loop : loops)
      if (loop.role == &role)
        text += fmt::format("    {:{}}loop of lines {} to {}: {}\n", "", 2 * loop.depth,
                            loop.firstLine, loop.lastLine, loop.mix.str());
  }
  return text;
}

std::string resources(const Step &step, const driver::Compiled &compiled,
                      const driver::Outline &outline, const Target &target) {
  driver::Resources resources = driver::resourcesOf(*step.text, compiled);
  const runtime::KernelSource &source = compiled.kernel.source();
  std::string text;
  if (!resources.configuration.empty())
    text += fmt::format("  configuration   {}\n", resources.configuration);
  text += fmt::format("  threads         {} per program{}\n", resources.threads,
                      source.clusterSize > 1
                          ? fmt::format(", clusters of {} programs", source.clusterSize)
                          : "") +
          fmt::format("  grid            {}\n", source.grid.str()) + registers(resources, target) +
          sharedMemory(resources, outline, target) + roles(step, compiled, outline);
  for (const std::string &note : compiled.kernel.compiled().performanceNotes)
    text += "  note            " + note + "\n";
  for (const std::string &reason : compiled.rejected)
    text += "  rejected        " + reason + "\n";
  return text;
}

std::string roofline(const Job &job, const driver::KernelWork &work) {
  std::string text = fmt::format("  FLOPs           {:.4g} ({})\n", work.flops(),
                                 work.hasProducts ? "matrix products" : "elementwise") +
                     fmt::format("  bytes           {:.4g} (every tensor once)\n", work.bytes) +
                     fmt::format("  intensity       {:.4g} FLOP per byte\n", work.intensity());
  const driver::Peak *peak = driver::peakFor(job.config.passTarget());
  if (!peak)
    return text + "  roofline        no peak rates are known for " + job.config.target + "\n";
  return text + fmt::format("  roofline        {:.4g} us at least on {}, bound by {}\n",
                            work.bound(*peak) * 1e6, peak->gpu,
                            work.isMemoryBound(*peak) ? "memory" : "arithmetic");
}

/// The work of the first program, counted in the machine simulator.
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

/// The work of a step at the job's sizes, with the configuration that was chosen.
static ErrorOr<std::string> work(const Job &alone, const driver::Attempt &attempt) {
  TILEWRIGHT_ASSIGN(driver::KernelWork work, workOf(alone, alone.sizes));
  TILEWRIGHT_ASSIGN(std::string counted, countedWork(alone, attempt));
  return fmt::format("  sizes           {}\n", str(alone.sizes)) + roofline(alone, work) + counted;
}

/// The resources of each plan of a step, and the work of the plan that a launch takes, if all sizes
/// are known.
static ErrorOr<std::string> report(const Job &job, const Step &step) {
  Job alone = job;
  alone.steps = {step};
  bool isComplete = bool(checkComplete(alone));
  if (isComplete)
    TILEWRIGHT_TRY(choosePlans(alone));
  TILEWRIGHT_ASSIGN(std::vector<driver::Attempt> attempts, attemptsFor(job, step));
  std::string text;
  for (const driver::Attempt &attempt : attempts) {
    TILEWRIGHT_ASSIGN(driver::Compiled compiled, driver::compile(step.text, attempt));
    text += fmt::format("{} on {}\n", step.text->kernel, job.config.target);
    if (std::string plan = driver::describePlan(*step.text, attempt.plan); !plan.empty())
      text += "  " + plan + "\n";
    TILEWRIGHT_ASSIGN(driver::Lowered lowered, driver::lowerToCuda(step.text, compiled.attempt));
    text += resources(step, compiled, lowered.outline, *findTarget(job.config.passTarget()));
    if (!isComplete || attempt.plan != alone.steps.front().plan.value_or(0))
      continue;
    TILEWRIGHT_ASSIGN(std::string done, work(alone, compiled.attempt));
    text += done;
  }
  return text + (isComplete ? "" : "  (give every `--shape` for FLOPs, bytes and the roofline)\n");
}

ErrorOr<std::string> cli::report(const Job &job) {
  std::string text;
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(std::string part, ::report(job, step));
    text += part;
  }
  return text;
}
