#include "tools/driver/Acceptance.h"

#include "tools/driver/RoleCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tilewright;
using namespace tilewright::driver;
using llvm::StringRef;

std::string driver::spillProblem(const runtime::CompiledKernel &compiled) {
  unsigned stores = compiled.spills.storeBytes, loads = compiled.spills.loadBytes;
  unsigned frame = compiled.resources.frameBytes;
  if (!stores && !loads && !frame)
    return "";
  const runtime::ProductLoops &loops = compiled.resources.productLoops;
  if (loops.found && loops.localAccesses == 0)
    return "";
  if (stores || loads)
    return "spills registers: " + std::to_string(stores) + " bytes stored, " +
           std::to_string(loads) + " loaded";
  return "keeps " + std::to_string(frame) + " bytes of registers in local memory";
}

/// The number of a note, `7514`; 0 if it has none.
static unsigned codeOf(StringRef note) {
  unsigned code = 0;
  StringRef digits = note.substr(note.find("(C") + 2).take_front(4);
  return digits.getAsInteger(10, code) ? 0 : code;
}

/// A call in a kernel's text.
struct Call {
  StringRef text;    ///< Of its line.
  std::string place; ///< `file:line` as `#line` directives say; empty where none is above it.
};

/// The calls of functions whose names start with one of `names`, in order.
static std::vector<Call> callsOf(StringRef text, std::initializer_list<StringRef> names) {
  std::vector<Call> calls;
  StringRef file, rest = text.substr(text.find("extern \"C\""));
  unsigned line = 0;
  while (!rest.empty()) {
    auto [current, below] = rest.split('\n');
    rest = below;
    StringRef directive = current;
    if (directive.consume_front("#line ")) {
      directive.consumeInteger(10, line);
      file = directive.trim(" \"");
      continue;
    }
    if (llvm::any_of(names, [&](StringRef name) { return current.ltrim().starts_with(name); }))
      calls.push_back(
          {current.ltrim(), file.empty() ? "" : file.str() + ":" + std::to_string(line)});
    ++line;
  }
  return calls;
}

static constexpr StringRef kProduct = "wgmma_m64";

/// Where the first product stands.
static std::string placeOfProduct(StringRef text) {
  std::vector<Call> products = callsOf(text, {kProduct});
  return products.empty() ? "" : products.front().place;
}

/// The exchange of registers that leaves products the fewest, for whose sake ptxas ignores all
/// exchanges; the first one where none is followed by products.
static Call tightestExchange(StringRef text) {
  Call first, tightest, current;
  unsigned fewest = ~0u;
  for (const Call &call : callsOf(text, {"increase_registers", "decrease_registers", kProduct})) {
    if (!call.text.starts_with(kProduct)) {
      current = call;
      if (first.text.empty())
        first = call;
      continue;
    }
    unsigned registers = 0;
    if (!current.text.split('<').second.consumeInteger(10, registers) && registers < fewest) {
      fewest = registers;
      tightest = current;
    }
  }
  return tightest.text.empty() ? first : tightest;
}

/// What a note says, without its code and without ptxas's preamble.
static StringRef reasonOf(StringRef note) {
  for (StringRef preamble : {") ", "Potential Performance Loss: "})
    if (size_t at = note.find(preamble); at != StringRef::npos)
      note = note.substr(at + preamble.size());
  return note.trim();
}

Status driver::checkSchedule(const runtime::KernelSource &source,
                             const std::vector<std::string> &performanceNotes) {
  for (const std::string &note : performanceNotes) {
    unsigned code = codeOf(note);
    if (code < 7506 || code > 7518)
      continue;
    bool budgets = note.find("setmaxnreg") != note.npos;
    Call exchange = budgets ? tightestExchange(source.text) : Call();
    std::string place = budgets ? exchange.place : placeOfProduct(source.text);
    std::string op =
        budgets ? exchange.text.take_until([](char c) { return c == '<'; }).str() : "wgmma";
    return Error{(place.empty() ? source.location : place) + ": `cuda." + op + "` of kernel `" +
                 source.entry + "` does not run as written on " + source.target + ": " +
                 reasonOf(note).str() + " (C" + std::to_string(code) + ")"};
  }
  return {};
}

/// How many loops an instruction is in.
static size_t depthOf(size_t at, const std::vector<runtime::CodeLoop> &loops) {
  return size_t(
      llvm::count_if(loops, [&](const runtime::CodeLoop &loop) { return loop.contains(at); }));
}

/// Fails where registers are in local memory within a loop; names the place that is in most loops,
/// beside products if there is one.
static Status checkLocalMemory(const Schedule &schedule, const runtime::CompiledKernel &compiled) {
  RoleCode code = roleCode(schedule, compiled);
  std::vector<size_t> accesses =
      runtime::localAccesses(code.code, runtime::loopsThatMultiply(code.code, code.loops));
  if (accesses.empty())
    accesses = runtime::localAccesses(code.code, code.loops);
  if (accesses.empty())
    return {};
  size_t worst = *llvm::max_element(accesses, [&](size_t a, size_t b) {
    return depthOf(a, code.loops) < depthOf(b, code.loops);
  });
  unsigned line = code.lines[worst];
  const RoleOutline *role = code.roles[worst];
  auto op = schedule.outline.ops.find(line);
  return Error{(line ? schedule.file + ":" + std::to_string(line) : schedule.source.location) +
               ": `" + (op == schedule.outline.ops.end() ? "func.func" : op->second) + "` of " +
               (role ? "role \"" + role->name + "\"" : "kernel `" + schedule.source.entry + "`") +
               " keeps registers in local memory within a loop (" +
               std::to_string(accesses.size()) +
               " loads and stores there; of a thread's registers " +
               std::to_string(compiled.spills.storeBytes) + " bytes are spilled, " +
               std::to_string(compiled.spills.loadBytes) +
               " loaded); state more registers for the role or make its tiles smaller"};
}

Status driver::checkCompiled(const Schedule &schedule, const runtime::CompiledKernel &compiled) {
  TILEWRIGHT_TRY(checkSchedule(schedule.source, compiled.performanceNotes));
  return checkLocalMemory(schedule, compiled);
}
