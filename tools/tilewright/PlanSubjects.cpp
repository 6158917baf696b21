// The list of kernels that plans are drawn for.
#include "tools/tilewright/PlanCase.h"

#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;
using llvm::StringRef;

/// "M/BM=64|128", or "H" for a dimension of single programs, or "K/=128".
static ErrorOr<TiledDim> parseDim(StringRef word) {
  TiledDim result;
  auto [names, extents] = word.split('=');
  result.dim = names.split('/').first.str();
  result.parameter = names.split('/').second.str();
  if (extents.empty())
    return result;
  result.extents.clear();
  for (StringRef text : llvm::split(extents, '|'))
    if (text.getAsInteger(10, result.extents.emplace_back()))
      return Error{
          fmt::format("`{}` has an extent `{}`, which is no number", word.str(), text.str())};
  return result;
}

Status cli::parseOptions(llvm::ArrayRef<StringRef> words, KernelArgs &kernel) {
  for (size_t at = 0; at < words.size(); at += 2) {
    std::vector<std::string> *list = words[at] == "--dtype"   ? &kernel.dtypes
                                     : words[at] == "--set"   ? &kernel.sets
                                     : words[at] == "--shape" ? &kernel.shape
                                                              : nullptr;
    if (!list || at + 1 == words.size())
      return Error{"`" + words[at].str() +
                   "` stands where `--dtype`, `--set` or `--shape` and "
                   "what it is given are expected, or `tiles`"};
    for (StringRef setting : llvm::split(words[at + 1], ','))
      list->push_back(setting.str());
  }
  return {};
}

static ErrorOr<PlanSubject> parseSubject(StringRef line, const std::filesystem::path &folder) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(line, words);
  auto tiles = llvm::find(words, "tiles"), loop = llvm::find(words, "loop");
  if (tiles == words.end() || loop == words.end() || loop < tiles || words.end() - loop != 2)
    return Error{"`" + line.str() + "` is no kernel with its `tiles` and its `loop`"};
  PlanSubject subject;
  subject.kernel.kernel = words.front().str();
  if (words.front().contains(".py"))
    subject.kernel.kernel = (folder / subject.kernel.kernel).lexically_normal().string();
  subject.words = subject.kernel.kernel;
  for (auto word = words.begin() + 1; word < tiles; ++word)
    subject.words += fmt::format(" {}", word->str());
  TILEWRIGHT_TRY(parseOptions({words.begin() + 1, tiles}, subject.kernel));
  for (auto word = tiles + 1; word < loop; ++word) {
    TILEWRIGHT_ASSIGN(TiledDim dim, parseDim(*word));
    subject.tiles.push_back(std::move(dim));
  }
  TILEWRIGHT_ASSIGN(subject.loop, parseDim(words.back()));
  return subject;
}

ErrorOr<std::vector<PlanSubject>> cli::readSubjects(const std::string &path) {
  auto read = [folder = std::filesystem::path(path).parent_path()](StringRef line) {
    return parseSubject(line, folder);
  };
  return readLines<PlanSubject>(path, "kernel", read);
}
