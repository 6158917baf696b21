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

/// The only role that has so many registers, or null.
static const RoleOutline *roleWith(const Outline &outline, unsigned registers) {
  const RoleOutline *found = nullptr;
  for (const RoleOutline &role : outline.roles)
    if (role.registers && *role.registers == int64_t(registers)) {
      if (found)
        return nullptr;
      found = &role;
    }
  return found;
}

/// What can be reached from an instruction.
static std::vector<size_t> reach(const std::vector<std::vector<size_t>> &next, size_t start) {
  std::vector<bool> seen(next.size());
  std::vector<size_t> result = {start};
  seen[start] = true;
  for (size_t at = 0; at < result.size(); ++at)
    for (size_t to : next[result[at]])
      if (!seen[to]) {
        seen[to] = true;
        result.push_back(to);
      }
  return result;
}

RoleCode driver::roleCodeByRegisters(const Outline &outline, const std::string &entry,
                                     const runtime::CompiledKernel &compiled) {
  RoleCode result = roleCode(outline, entry, compiled);
  std::fill(result.roles.begin(), result.roles.end(), nullptr);
  auto next = runtime::controlFlow(result.code);
  for (size_t start = 0; next && start < result.code.size(); ++start)
    if (const RoleOutline *role = roleWith(outline, result.code[start].takenRegisters()))
      for (size_t at : reach(*next, start))
        result.roles[at] = role;
  return result;
}
