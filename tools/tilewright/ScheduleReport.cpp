// `tilewright compile file.mlir --emit report`: what a kernel of the `cta` level takes of an SM,
// and what the loops of its roles are made of.
#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
#include "tools/driver/RoleLoops.h"
#include "tools/tilewright/Commands.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <set>

using namespace tilewright;
using namespace tilewright::cli;

/// What lies at a place of shared memory: "as: tma, 4 slots of 16384 bytes, swizzled by 128".
static std::string contentsOf(const driver::Schedule &schedule, cuda::SharedOp op) {
  std::string name = cta::nameOf(op.getResult(), "unnamed");
  for (const driver::ChannelOutline &channel : schedule.outline.channels) {
    if (name == channel.name + "_shared")
      return fmt::format("{}: {}, {} slots of {} bytes{}", channel.name, channel.kind,
                         channel.depth, op.getBytes() / uint64_t(channel.depth),
                         channel.swizzle ? fmt::format(", swizzled by {}", channel.swizzle) : "");
    for (const char *barriers : {"full", "empty"})
      if (name == channel.name + "_" + barriers)
        return fmt::format("{}: barriers, {}", channel.name, barriers);
  }
  return name;
}

static std::string sharedMemory(const driver::Schedule &schedule) {
  std::set<std::pair<uint64_t, std::string>> lines; // by address; a role's scratch is another's too
  schedule.kernel().walk([&](cuda::SharedOp op) {
    lines.emplace(op.getOffset(), fmt::format("    {:>6} + {:<6}  {}\n", op.getOffset(),
                                              op.getBytes(), contentsOf(schedule, op)));
  });
  std::string text =
      fmt::format("  shared memory   {} of {} bytes per block\n", schedule.source.sharedBytes,
                  findTarget(schedule.source.target)->smem);
  for (auto &[offset, line] : lines)
    text += line;
  return text;
}

static std::string roles(const driver::Schedule &schedule,
                         const runtime::CompiledKernel &compiled) {
  driver::RoleCode code = driver::roleCode(schedule, compiled);
  std::vector<driver::RoleLoop> loops = driver::roleLoops(code);
  std::string text;
  for (const driver::RoleOutline &role : schedule.outline.roles) {
    int64_t budget = role.registers.value_or(compiled.resources.registers);
    text += fmt::format("  role \"{}\": warps {}, {} of {} registers\n", role.name, role.warps,
                        driver::registersOf(code, role), budget);
    for (const driver::RoleLoop &loop : loops)
      if (loop.role == &role)
        text += fmt::format("    {:{}}loop of lines {} to {}: {}\n", "", 2 * loop.depth,
                            loop.firstLine, loop.lastLine, loop.mix.str());
  }
  return text;
}

/// Those in loops would have been an error.
static std::string spills(const runtime::SpillInfo &spills) {
  if (!spills.storeBytes && !spills.loadBytes)
    return "none";
  return fmt::format("{} bytes stored, {} loaded, outside of loops", spills.storeBytes,
                     spills.loadBytes);
}

std::string cli::scheduleReport(const driver::Schedule &schedule,
                                const runtime::CompiledKernel &compiled) {
  const runtime::KernelSource &source = schedule.source;
  std::string text =
      fmt::format("{} on {}\n", source.entry, source.target) +
      fmt::format("  threads         {} per block, clusters of {}\n", source.threads,
                  source.clusterSize) +
      fmt::format("  grid            {}\n", source.grid.str()) +
      fmt::format("  registers       {} per thread at entry\n", compiled.resources.registers) +
      fmt::format("  spills          {}\n", spills(compiled.spills)) + sharedMemory(schedule) +
      roles(schedule, compiled);
  for (const std::string &note : compiled.performanceNotes)
    text += "  note            " + note + "\n";
  for (const std::string &remark : schedule.remarks)
    text += "  " + remark + "\n";
  return text;
}
