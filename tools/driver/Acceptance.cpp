#include "tools/driver/Acceptance.h"

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

/// Where the first call of a function that starts with `function` stands, as `#line` directives
/// say: `file:line`. Empty where there is no call or no directive above it.
static std::string placeOfCall(StringRef text, StringRef function) {
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
    if (current.ltrim().starts_with(function))
      return file.empty() ? "" : file.str() + ":" + std::to_string(line);
    ++line;
  }
  return "";
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
    std::string place = placeOfCall(source.text, budgets ? "increase_registers" : "wgmma_m64");
    return Error{(place.empty() ? source.location : place) + ": " +
                 (budgets ? "`cuda.increase_registers`" : "`cuda.wgmma`") + " of kernel `" +
                 source.entry + "` does not run as written on " + source.target + ": " +
                 reasonOf(note).str() + " (C" + std::to_string(code) + ")"};
  }
  return {};
}
