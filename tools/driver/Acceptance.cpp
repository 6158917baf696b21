#include "tools/driver/Acceptance.h"

#include "tools/driver/RoleCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <set>

using namespace tilewright;
using namespace tilewright::driver;
using llvm::StringRef;

/// The number of a note, `7514`; 0 if it has none.
static unsigned codeOf(StringRef note) {
  unsigned code = 0;
  StringRef digits = note.substr(note.find("(C") + 2).take_front(4);
  return digits.getAsInteger(10, code) ? 0 : code;
}

/// What a note says, without its code and without ptxas's preamble.
static StringRef reasonOf(StringRef note) {
  for (StringRef preamble : {") ", "Potential Performance Loss: "})
    if (size_t at = note.find(preamble); at != StringRef::npos)
      note = note.substr(at + preamble.size());
  return note.trim();
}

Status driver::checkNotes(const runtime::KernelSource &source, const Outline &outline,
                          const std::vector<std::string> &performanceNotes) {
  for (const std::string &note : performanceNotes) {
    unsigned code = codeOf(note);
    if (code < 7506 || code > 7518)
      continue;
    bool budgets = note.find("setmaxnreg") != note.npos;
    OpPlace at = (budgets ? outline.exchange : outline.product).value_or(OpPlace{"func.func", ""});
    return Error{(at.place.empty() ? source.location : at.place) + ": `" + at.op + "` of kernel `" +
                 source.entry + "` does not run as written on " + source.target + ": " +
                 reasonOf(note).str() + " (C" + std::to_string(code) + ")"};
  }
  return {};
}

//===- Local memory ---------------------------------------------------------------------------===//

/// The number of loops around an instruction.
static size_t depthOf(size_t at, const std::vector<runtime::CodeLoop> &loops) {
  return size_t(
      llvm::count_if(loops, [&](const runtime::CodeLoop &loop) { return loop.contains(at); }));
}

/// Loads and stores of local memory that are worth it if they run once, in blocks of a cluster that
/// share long rows: the gradient of softmax with 131072 columns takes 113 us with one register
/// spilled by two blocks of 8 warps on an SM, and 169 with none by one of 16 (H200).
static constexpr size_t kFewAccesses = 8;

/// The loads and stores of local memory that cost something.
static std::vector<size_t> costlyAccesses(const RoleCode &code, bool isCluster) {
  std::vector<runtime::CodeLoop> multiplying = runtime::loopsThatMultiply(code.code, code.loops);
  std::set<const RoleOutline *> multiply; // roles with such a loop
  for (const runtime::CodeLoop &loop : multiplying)
    for (size_t at : loop.body)
      if (code.code[at].kind() == runtime::InstructionKind::Tensor)
        multiply.insert(code.roles[at]);
  std::vector<size_t> result;
  for (size_t at = 0; at < code.code.size(); ++at)
    if (code.code[at].kind() == runtime::InstructionKind::Local &&
        (!multiply.contains(code.roles[at]) || depthOf(at, multiplying)))
      result.push_back(at);
  bool runOnce = llvm::none_of(result, [&](size_t at) { return depthOf(at, code.loops); });
  return isCluster && runOnce && result.size() <= kFewAccesses ? std::vector<size_t>() : result;
}

Status driver::checkLocalMemory(const runtime::KernelSource &source, const Outline &outline,
                                const runtime::CompiledKernel &compiled) {
  const runtime::SpillInfo &spills = compiled.spills;
  if (!spills.storeBytes && !spills.loadBytes && !compiled.resources.frameBytes)
    return {};
  RoleCode code = roleCode(outline, source.entry, compiled);
  std::vector<size_t> accesses = costlyAccesses(code, source.clusterSize > 1);
  if (accesses.empty())
    return {};
  size_t worst = *llvm::max_element(accesses, [&](size_t a, size_t b) {
    return depthOf(a, code.loops) < depthOf(b, code.loops);
  });
  unsigned line = code.lines[worst];
  const RoleOutline *role = code.roles[worst];
  auto op = outline.ops.find(line);
  return Error{(line ? outline.file + ":" + std::to_string(line) : source.location) + ": " +
               (op == outline.ops.end() ? "" : "`" + op->second + "` of ") +
               (role ? "role \"" + role->name + "\"" : "kernel `" + source.entry + "`") +
               " keeps registers in local memory" +
               (depthOf(worst, runtime::findLoops(code.code)) ? " within a loop" : "") + " (" +
               std::to_string(accesses.size()) +
               " loads and stores there; of a thread's registers " +
               std::to_string(spills.storeBytes) + " bytes are spilled, " +
               std::to_string(spills.loadBytes) + " loaded); " +
               (role ? "state more registers for the role or make its tiles smaller"
                     : "use smaller tiles or more warps")};
}
