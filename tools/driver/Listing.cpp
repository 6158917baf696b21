#include "tools/driver/Listing.h"

#include "support/Env.h"
#include "support/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <map>

using namespace tilewright;
using namespace tilewright::driver;
using llvm::StringRef;

//===- PTX ------------------------------------------------------------------------------------===//

namespace {

/// Follows `.file` and `.loc` and yields a comment where the kernel's line changes.
class LineComments {
public:
  explicit LineComments(const KernelText &text) : text(text) {}

  void addFile(StringRef directive) {
    auto [number, name] = directive.split(' ');
    files[number.str()] = name.trim().trim('"').str();
  }

  std::string comment(StringRef directive) {
    // `.loc 2 30 5, function_name …, inlined_at 1 24 7`: the outermost place is the kernel's.
    size_t inlined = directive.rfind("inlined_at ");
    StringRef place = inlined == StringRef::npos ? directive : directive.substr(inlined + 11);
    auto [file, rest] = place.trim().split(' ');
    unsigned line;
    auto known = files.find(file.str());
    if (rest.trim().split(' ').first.getAsInteger(10, line) || line == last ||
        (known != files.end() && !StringRef(known->second).ends_with(text.file)))
      return "";
    last = line;
    if (line == 0) // code of no line
      return "";
    return "\t// " + text.file + ":" + std::to_string(line) + "  " +
           StringRef(text.line(line)).trim().str() + "\n";
  }

  /// The kernel's line that was last named; 0 before the first.
  unsigned line() const { return last; }

private:
  const KernelText &text;
  std::map<std::string, std::string> files;
  unsigned last = 0;
};

/// The `.file` directives, which stand at the end of the text.
void collectFiles(StringRef ptx, LineComments &comments) {
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (line.trim().consume_front(".file"))
      comments.addFile(line.trim().drop_front(5).trim());
    ptx = rest;
  }
}

} // namespace

std::string driver::annotatePtx(const std::string &ptx, const KernelText &text,
                                std::vector<unsigned> *lines) {
  LineComments comments(text);
  collectFiles(ptx, comments);
  std::string result;
  auto add = [&](const std::string &line) {
    result += line;
    if (lines && !line.empty())
      lines->push_back(comments.line());
  };
  bool inDebugSection = false;
  for (StringRef rest = ptx; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    StringRef word = line.trim();
    inDebugSection |= word.starts_with(".section");
    if (inDebugSection) {
      inDebugSection = word != "}";
    } else if (word.consume_front(".loc")) {
      add(comments.comment(word.trim()));
    } else if (!word.starts_with(".file")) {
      add(line.str() + "\n");
    }
  }
  return result;
}

//===- SASS -----------------------------------------------------------------------------------===//

static ErrorOr<std::string> findDisassembler() {
  std::vector<std::string> folders;
  for (EnvVar variable : {EnvVar::TilewrightCudaHome, EnvVar::CudaHome, EnvVar::CudaPath})
    if (std::optional<std::string> home = getEnv(variable))
      folders.push_back(*home + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  llvm::SmallVector<StringRef> paths(folders.begin(), folders.end());
  for (const char *name : {"nvdisasm", "cuobjdump"}) {
    if (auto found = llvm::sys::findProgramByName(name, paths))
      return *found;
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  }
  return Error{"neither `nvdisasm` nor `cuobjdump` was found on PATH or in the CUDA toolkit; "
               "install the package cuda-nvdisasm (conda: cuda-nvdisasm, Debian: from NVIDIA's "
               "repository), or take `--emit cubin` to a machine that has it"};
}

ErrorOr<std::string> driver::disassemble(const std::string &cubin) {
  TILEWRIGHT_ASSIGN(std::string program, findDisassembler());
  llvm::SmallString<128> input, output;
  if (llvm::sys::fs::createTemporaryFile("tilewright", "cubin", input) ||
      llvm::sys::fs::createTemporaryFile("tilewright", "sass", output))
    return Error{"no temporary file could be made"};
  TILEWRIGHT_TRY(writeFileAtomic(std::string(input), cubin));
  std::vector<StringRef> words = {program};
  words.push_back(StringRef(program).ends_with("cuobjdump") ? "-sass" : "--print-code");
  words.push_back(input);
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(output), StringRef(output)};
  int code = llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects);
  ErrorOr<std::string> text = readFile(std::string(output));
  llvm::sys::fs::remove(input);
  llvm::sys::fs::remove(output);
  if (text && code != 0)
    return Error{"`" + program + "` failed: " + *text};
  return text;
}
