#include "tools/driver/RoleCode.h"

#include "runtime/ElfFile.h"
#include "runtime/LineTable.h"

#include <numeric>

using namespace tilewright;
using namespace tilewright::driver;

RoleCode driver::roleCode(const Outline &outline, const std::string &entry,
                          const runtime::CompiledKernel &compiled) {
  const std::string &cubin = compiled.text.cubin;
  RoleCode result;
  result.code = runtime::decode(runtime::ElfFile(cubin).code(entry));
  result.loops = runtime::findLoops(result.code);
  if (result.loops.empty()) {
    result.loops.emplace_back().body.resize(result.code.size());
    std::iota(result.loops[0].body.begin(), result.loops[0].body.end(), 0);
  }
  result.lines = runtime::linesOf(cubin, entry, outline.file);
  result.lines.resize(result.code.size());
  const RoleOutline *role = nullptr;
  for (unsigned line : result.lines) {
    if (const RoleOutline *own = outline.roleAt(line))
      role = own;
    result.roles.push_back(role);
  }
  return result;
}
