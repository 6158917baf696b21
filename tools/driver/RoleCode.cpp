#include "tools/driver/RoleCode.h"

#include "runtime/ElfFile.h"
#include "runtime/LineTable.h"

using namespace tilewright;
using namespace tilewright::driver;

RoleCode driver::roleCode(const Schedule &schedule, const runtime::CompiledKernel &compiled) {
  const std::string &cubin = compiled.text.cubin, &entry = schedule.source.entry;
  RoleCode result;
  result.code = runtime::decode(runtime::ElfFile(cubin).code(entry));
  result.loops = runtime::findLoops(result.code);
  result.lines = runtime::linesOf(cubin, entry, schedule.file);
  result.lines.resize(result.code.size());
  const RoleOutline *role = nullptr;
  for (unsigned line : result.lines) {
    if (const RoleOutline *own = schedule.outline.roleAt(line))
      role = own;
    result.roles.push_back(role);
  }
  return result;
}
