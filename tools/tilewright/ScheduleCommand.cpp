// `tilewright compile file.mlir`: a kernel written on the `cta` level.
#include "support/Files.h"
#include "tools/driver/Acceptance.h"
#include "tools/driver/Listing.h"
#include "tools/tilewright/Commands.h"

using namespace tilewright;
using namespace tilewright::cli;

bool cli::isSchedule(const std::string &kernel) { return kernel.ends_with(".mlir"); }

static std::string irOf(const driver::Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  schedule.kernel()->print(stream);
  return text + "\n";
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
    return scheduleReport(schedule, compiled);
  if (what == "sass")
    return driver::disassemble(compiled.text.cubin);
  return what == "ptx" ? compiled.text.ptx : compiled.text.cubin;
}
