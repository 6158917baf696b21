// `tilewright compile file.mlir`: a kernel written on the `cta` level.
#include "ir/Target.h"
#include "support/Files.h"
#include "tools/driver/Acceptance.h"
#include "tools/driver/Listing.h"
#include "tools/driver/Schedule.h"
#include "tools/tilewright/Commands.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;

bool cli::isSchedule(const std::string &kernel) { return kernel.ends_with(".mlir"); }

static std::string irOf(const driver::Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  schedule.kernel()->print(stream);
  return text + "\n";
}

static std::string reportOf(const driver::Schedule &schedule,
                            const runtime::CompiledKernel &compiled) {
  const runtime::KernelSource &source = schedule.source;
  std::string text =
      fmt::format("{} on {}\n", source.entry, source.target) +
      fmt::format("  threads         {} per block, clusters of {}\n", source.threads,
                  source.clusterSize) +
      fmt::format("  registers       {} per thread at entry\n", compiled.resources.registers) +
      fmt::format("  spills          {} bytes stored, {} loaded\n", compiled.spills.storeBytes,
                  compiled.spills.loadBytes) +
      fmt::format("  shared memory   {} of {} bytes per block\n", source.sharedBytes,
                  findTarget(source.target)->smem) +
      fmt::format("  grid            {}\n", source.grid.str());
  for (const std::string &note : compiled.performanceNotes)
    text += "  note            " + note + "\n";
  for (const std::string &remark : schedule.remarks)
    text += "  " + remark + "\n";
  return text;
}

ErrorOr<std::string> cli::emitSchedule(const std::string &file, const std::string &what) {
  TILEWRIGHT_ASSIGN(std::string text, readFile(file));
  if (what == "cta")
    return text;
  TILEWRIGHT_ASSIGN(driver::Schedule schedule, driver::lowerSchedule(text, file));
  if (what == "cuda-ir")
    return irOf(schedule);
  if (what == "cuda")
    return driver::cudaListing(schedule, text);
  if (what != "ptx" && what != "cubin" && what != "sass" && what != "report")
    return Error{"a kernel written on the `cta` level has no `" + what + "`"};
  TILEWRIGHT_ASSIGN(runtime::CompiledKernel compiled, runtime::compileKernel(schedule.source));
  TILEWRIGHT_TRY(driver::checkCompiled(schedule, compiled));
  if (what == "report")
    return reportOf(schedule, compiled);
  if (what == "sass")
    return driver::disassemble(compiled.text.cubin);
  return what == "ptx" ? compiled.text.ptx : compiled.text.cubin;
}
