#include "tools/driver/Resources.h"

#include "ir/Target.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::driver;

static constexpr int64_t kProgramsPerSm = 32;

static int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

static Occupancy occupancyOf(const Target &target, const Resources &resources) {
  int64_t threads = resources.threads;
  int64_t perThread = roundUp(std::max<int64_t>(1, resources.registers), Target::kRegisterUnit);
  Occupancy result{kProgramsPerSm, 0, "blocks"};
  auto limit = [&](int64_t programs, const char *what) {
    if (programs < result.programs)
      result = {programs, 0, what};
  };
  limit(target.threadsPerSm / threads, "threads");
  limit(target.blocksPerSm(threads, resources.sharedBytes), "shared memory");
  limit(Target::kRegistersPerSm / (perThread * threads), "registers");
  result.threads = result.programs * threads;
  return result;
}

Resources driver::resourcesOf(const KernelText &text, const Compiled &compiled) {
  const runtime::KernelSource &source = compiled.kernel.source();
  const runtime::CompiledKernel &code = compiled.kernel.compiled();
  Resources result;
  result.configuration = compiled.attempt.str(text.signature());
  result.threads = source.threads;
  result.sharedBytes = source.sharedBytes + code.resources.staticSharedBytes;
  result.hasMachineCode = !code.text.cubin.empty();
  if (!result.hasMachineCode)
    return result;
  result.registers = code.resources.registers;
  result.spillStoreBytes = code.spills.storeBytes;
  result.spillLoadBytes = code.spills.loadBytes;
  result.localBytes = code.resources.frameBytes;
  result.occupancy = occupancyOf(*findTarget(compiled.attempt.config.passTarget()), result);
  return result;
}
