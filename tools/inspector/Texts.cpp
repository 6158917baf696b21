#include "tools/inspector/Texts.h"

#include "codegen/PrintCuda.h"
#include "runtime/ElfFile.h"
#include "runtime/LineTable.h"
#include "runtime/MachineCode.h"
#include "tools/driver/Inspect.h"
#include "tools/driver/Listing.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::inspector;

//===- IR and CUDA ----------------------------------------------------------------------------===//

/// The places in the kernel's text that a location names, the innermost first.
static std::vector<Place> placesOf(Location location, llvm::StringRef file) {
  std::vector<Place> places;
  location->walk([&](Location part) {
    auto at = dyn_cast<FileLineColLoc>(part);
    if (at && at.getFilename() == file && at.getLine())
      if (Place place(at.getLine(), at.getColumn()); !llvm::is_contained(places, place))
        places.push_back(place);
    return WalkResult::advance();
  });
  return places;
}

static PlacedText printIr(llvm::StringRef name, const driver::KernelModule &module) {
  auto top = module.kernel()->getParentOfType<ModuleOp>();
  AsmState::LocationMap printed;
  AsmState state(top, OpPrintingFlags(), &printed);
  PlacedText result{name.str(), ""};
  llvm::raw_string_ostream stream(result.text);
  top.print(stream, state);
  result.lines.resize(llvm::count(result.text, '\n') + 1);
  for (auto &[op, at] : printed)
    if (at.first >= 1 && at.first <= result.lines.size())
      result.lines[at.first - 1] = placesOf(op->getLoc(), module.text().file);
  return result;
}

static std::vector<std::vector<Place>> linesOf(llvm::StringRef text,
                                               llvm::ArrayRef<codegen::PlacedStatement> statements,
                                               llvm::StringRef file) {
  std::vector<std::vector<Place>> result;
  std::vector<Place> current;
  for (size_t offset = 0; offset < text.size();) {
    llvm::StringRef line = text.drop_front(offset).split('\n').first;
    offset += line.size() + 1;
    for (; !statements.empty() && statements.front().offset < offset;
         statements = statements.drop_front())
      current = placesOf(statements.front().place, file);
    bool isCode = line.find_if(llvm::isAlnum) != llvm::StringRef::npos;
    result.push_back(isCode ? current : std::vector<Place>());
  }
  return result;
}

static ErrorOr<PlacedText> printCuda(const driver::KernelModule &module) {
  std::vector<codegen::PlacedStatement> statements;
  TILEWRIGHT_ASSIGN(std::string text, module.cudaText(/*sourceComments=*/true,
                                                      /*lineDirectives=*/false, &statements));
  PlacedText result{"cuda", std::move(text)};
  result.lines = linesOf(result.text, statements, module.text().file);
  return result;
}

ErrorOr<std::vector<PlacedText>> inspector::levelsOf(const driver::KernelTextPtr &text,
                                                     const driver::Attempt &attempt) {
  using passes::Stage;
  constexpr std::pair<const char *, Stage> kStages[] = {
      {"tile", Stage::Tile}, {"cta", Stage::Cta}, {"cuda-ir", Stage::Cuda}};
  std::vector<PlacedText> result = {{"source", text->text}};
  for (auto [name, stage] : kStages) {
    if (stage == Stage::Tile && text->isCta())
      continue; // it begins at the next level
    TILEWRIGHT_ASSIGN(driver::KernelModule module, driver::moduleAt(text, attempt, stage));
    result.push_back(printIr(name, module));
    if (stage != Stage::Cuda)
      continue;
    TILEWRIGHT_ASSIGN(PlacedText cuda, printCuda(module));
    result.push_back(std::move(cuda));
  }
  return result;
}

//===- Machine code ---------------------------------------------------------------------------===//

static std::vector<Place> placeOf(unsigned line) {
  return line ? std::vector<Place>{{line, 0}} : std::vector<Place>();
}

static PlacedText ptxOf(const driver::KernelText &text, const driver::Compiled &compiled) {
  std::vector<unsigned> lines;
  PlacedText result{"ptx", driver::annotatePtx(compiled.kernel.compiled().text.ptx, text, &lines)};
  for (unsigned line : lines)
    result.lines.push_back(placeOf(line));
  return result;
}

/// The lines of a listing of the disassembler: `/*0a30*/  HGMMA …`, 16 bytes each. Data look the
/// same, but for a directive: `/*0000*/  .byte …`.
static std::vector<std::vector<Place>> listedLines(llvm::StringRef listing,
                                                   llvm::ArrayRef<unsigned> lines) {
  std::vector<std::vector<Place>> result;
  for (; !listing.empty(); listing = listing.split('\n').second) {
    llvm::StringRef line = listing.split('\n').first.ltrim();
    uint64_t address = 0;
    bool isCode = line.consume_front("/*") && !line.split("*/").first.getAsInteger(16, address) &&
                  !line.split("*/").second.ltrim().starts_with(".") &&
                  address / runtime::kInstructionBytes < lines.size();
    result.push_back(isCode ? placeOf(lines[address / runtime::kInstructionBytes])
                            : std::vector<Place>());
  }
  return result;
}

/// What is known of instructions without the disassembler.
static std::string decodedListing(const std::string &cubin, const std::string &entry,
                                  const std::string &why) {
  std::string text = "// " + why + "\n// Below is the kind of each instruction, and its bits.\n";
  uint64_t address = 0;
  for (const runtime::Instruction &instruction :
       runtime::decode(runtime::ElfFile(cubin).code(entry))) {
    text += fmt::format("        /*{:04x}*/  {:8}  {:016x} {:016x}\n", address,
                        runtime::kInstructionKindLabels[size_t(instruction.kind())],
                        instruction.high, instruction.low);
    address += runtime::kInstructionBytes;
  }
  return text;
}

/// The listing of a cubin, as `--emit sass` has it: without the sections for lines, if the kernel
/// needs none.
static ErrorOr<std::string> listingOf(const driver::KernelTextPtr &text,
                                      const driver::Compiled &compiled) {
  TILEWRIGHT_ASSIGN(driver::Compiled plain, driver::compile(text, compiled.attempt));
  return driver::disassemble(plain.kernel.compiled().text.cubin);
}

static PlacedText sassOf(const driver::KernelTextPtr &text, const driver::Compiled &compiled) {
  const std::string &cubin = compiled.kernel.compiled().text.cubin;
  const std::string &entry = compiled.kernel.source().entry;
  if (cubin.empty())
    return {"sass", "", {}, "`" + compiled.attempt.config.target + "` has PTX only"};
  std::vector<unsigned> lines = runtime::linesOf(cubin, entry, text->file);
  ErrorOr<std::string> listing = listingOf(text, compiled);
  PlacedText result{"sass", ""};
  if (!listing)
    result.missing = listing.error().message;
  result.text = listing ? *listing : decodedListing(cubin, entry, listing.error().message);
  result.lines = listedLines(result.text, lines);
  return result;
}

std::vector<PlacedText> inspector::machineTexts(const driver::KernelTextPtr &text,
                                                const ErrorOr<driver::Compiled> &compiled) {
  if (!compiled)
    return {{"ptx", "", {}, compiled.error().message}, {"sass", "", {}, compiled.error().message}};
  return {ptxOf(*text, *compiled), sassOf(text, *compiled)};
}

//===- As JSON --------------------------------------------------------------------------------===//

llvm::json::Array inspector::textsJson(const std::vector<PlacedText> &texts,
                                       llvm::json::Array &places) {
  std::map<Place, int64_t> numbers;
  auto numberOf = [&](Place place) {
    auto [entry, isNew] = numbers.try_emplace(place, places.size());
    if (isNew)
      places.push_back(llvm::json::Array{place.first, place.second});
    return entry->second;
  };
  llvm::json::Array result;
  for (const PlacedText &text : texts) {
    llvm::json::Object entry{{"name", text.name}};
    if (!text.missing.empty())
      entry["missing"] = text.missing;
    if (!text.text.empty())
      entry["text"] = text.text;
    llvm::json::Array lines;
    for (const std::vector<Place> &line : text.lines) {
      llvm::json::Array numbersOfLine;
      for (Place place : line)
        numbersOfLine.push_back(numberOf(place));
      lines.push_back(std::move(numbersOfLine));
    }
    entry["places"] = std::move(lines);
    result.push_back(std::move(entry));
  }
  return result;
}

llvm::json::Array inspector::passesJson(const llvm::json::Array &ir, llvm::json::Array &lines) {
  llvm::StringMap<int64_t> numbers;
  llvm::json::Array result;
  for (const llvm::json::Value &entry : ir) {
    const llvm::json::Object &pass = *entry.getAsObject();
    llvm::json::Array numbersOfPass;
    llvm::SmallVector<llvm::StringRef> parts;
    pass.getString("ir")->split(parts, '\n');
    for (llvm::StringRef line : parts) {
      auto [number, isNew] = numbers.try_emplace(line, lines.size());
      if (isNew)
        lines.push_back(line.str());
      numbersOfPass.push_back(number->second);
    }
    result.push_back(llvm::json::Object{{"pass", pass.getString("pass")->str()},
                                        {"lines", std::move(numbersOfPass)}});
  }
  return result;
}
