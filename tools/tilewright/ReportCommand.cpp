// `tilewright compile --emit report`: what a kernel uses and how fast it could be.
#include "ir/Target.h"
#include "runtime/Driver.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Roofline.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

namespace {

/// What the hardware gives registers and shared memory in.
constexpr int64_t kWarpRegisterUnit = 256, kBlocksPerSm = 32;

struct Occupancy {
  int64_t blocks, threads;
  const char *limit; ///< What allows no more.
};

int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

Occupancy occupancyOf(const Target &target, int64_t threads, int64_t registers, int64_t shared) {
  int64_t perWarp = roundUp(std::max<int64_t>(1, registers) * 32, kWarpRegisterUnit);
  int64_t byRegisters = Target::kRegistersPerSm / (perWarp * (threads / 32));
  int64_t reserved = target.smemPerSm - target.smem; // the system's share of every block
  int64_t byShared = target.smemPerSm / std::max<int64_t>(1, shared + reserved);
  int64_t byThreads = target.threadsPerSm / threads;
  Occupancy result{kBlocksPerSm, 0, "blocks"};
  auto limit = [&](int64_t blocks, const char *what) {
    if (blocks < result.blocks)
      result = {blocks, 0, what};
  };
  limit(byThreads, "threads");
  limit(byShared, "shared memory");
  limit(byRegisters, "registers");
  result.threads = result.blocks * threads;
  return result;
}

std::string resources(const Step &step, const driver::Compiled &compiled, const Target &target) {
  const runtime::KernelSource &source = compiled.kernel.source();
  const runtime::CompiledKernel &code = compiled.kernel.compiled();
  unsigned shared = source.sharedBytes + code.resources.staticSharedBytes;
  std::string text = fmt::format("  configuration   {}\n", compiled.attempt.str(step.signature())) +
                     fmt::format("  threads         {} per program\n", source.threads);
  if (!code.text.cubin.empty()) {
    Occupancy occupancy = occupancyOf(target, source.threads, code.resources.registers, shared);
    text += fmt::format("  registers       {} per thread\n", code.resources.registers) +
            fmt::format("  spills          {} bytes stored, {} loaded; {} bytes of local memory\n",
                        code.spills.storeBytes, code.spills.loadBytes, code.resources.frameBytes) +
            fmt::format("  occupancy       {} programs, {} of {} threads per SM (limit: {})\n",
                        occupancy.blocks, occupancy.threads, target.threadsPerSm, occupancy.limit);
  }
  text += fmt::format("  shared memory   {} of {} bytes per program\n", shared, target.smem);
  for (const std::string &note : code.performanceNotes)
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
  }
  return text;
}
