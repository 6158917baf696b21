#include "tools/driver/RoleLoops.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace tilewright;
using namespace tilewright::driver;
using runtime::CodeLoop;
using runtime::InstructionKind;

std::string InstructionMix::str() const {
  std::string text;
  for (auto [count, label] : llvm::zip(counts, runtime::kInstructionKindLabels))
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(label);
  return text;
}

/// Whether a loop only waits.
static bool onlyWaits(const RoleCode &code, const CodeLoop &loop) {
  return llvm::all_of(loop.body, [&](size_t at) {
    switch (code.code[at].kind()) {
    case InstructionKind::Integer:
    case InstructionKind::Move:
    case InstructionKind::Uniform:
    case InstructionKind::Sync:
    case InstructionKind::Branch:
    case InstructionKind::Other:
      return true;
    default:
      return false;
    }
  });
}

/// The role of most of a loop's code.
static const RoleOutline *roleOf(const RoleCode &code, const CodeLoop &loop) {
  std::map<const RoleOutline *, size_t> counts;
  for (size_t at : loop.body)
    ++counts[code.roles[at]];
  return llvm::max_element(counts, llvm::less_second())->first;
}

static RoleLoop describe(const RoleCode &code, const CodeLoop &loop,
                         const std::vector<CodeLoop> &all) {
  auto contains = [](const CodeLoop &outer, const CodeLoop &inner) {
    return outer.header != inner.header && outer.contains(inner.header);
  };
  RoleLoop result;
  result.role = roleOf(code, loop);
  result.depth = unsigned(llvm::count_if(all, [&](auto &outer) { return contains(outer, loop); }));
  for (size_t at : loop.body) {
    unsigned line = code.lines[at];
    if (result.role && result.role->firstLine <= line && line <= result.role->lastLine) {
      result.firstLine = result.firstLine ? std::min(result.firstLine, line) : line;
      result.lastLine = std::max(result.lastLine, line);
    }
    bool isInner =
        llvm::any_of(all, [&](auto &inner) { return contains(loop, inner) && inner.contains(at); });
    if (!isInner)
      result.mix.add(code.code[at].kind());
  }
  return result;
}

std::vector<RoleLoop> driver::roleLoops(const RoleCode &code) {
  std::vector<CodeLoop> working;
  llvm::copy_if(code.loops, std::back_inserter(working),
                [&](const CodeLoop &loop) { return !onlyWaits(code, loop); });
  std::vector<RoleLoop> result;
  for (const CodeLoop &loop : working)
    result.push_back(describe(code, loop, working));
  llvm::stable_sort(result, [](const RoleLoop &a, const RoleLoop &b) {
    return std::pair(a.firstLine, a.depth) < std::pair(b.firstLine, b.depth);
  });
  return result;
}

unsigned driver::registersOf(const RoleCode &code, const RoleOutline &role) {
  unsigned registers = 0;
  for (auto [instruction, owner] : llvm::zip(code.code, code.roles))
    if (owner == &role)
      registers = std::max(registers, instruction.registersEnd());
  return registers;
}
