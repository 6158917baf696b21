#include "tools/fuzz/Edits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <regex>
#include <set>

using namespace tilewright::fuzz;
using llvm::StringRef;

namespace {

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// True where a number starts that is no part of a name or of a type such as `bf16`.
bool isNumber(const std::string &text, size_t at) {
  auto isNamePart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%'; };
  bool isExtent =
      at > 1 && text[at - 1] == 'x' && (llvm::isDigit(text[at - 2]) || text[at - 2] == '?');
  return llvm::isDigit(text[at]) && at > 0 && (isExtent || !isNamePart(text[at - 1]));
}

/// The text with another number everywhere, but for the numbers behind these words.
std::string renumbered(const std::string &text, int64_t from, int64_t to) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    if (!isNumber(text, at)) {
      result += text[at++];
      continue;
    }
    size_t end = text.find_first_not_of("0123456789", at);
    std::string digits = text.substr(at, end - at);
    StringRef before(result);
    bool kept = before.ends_with("registers ") || before.ends_with("warps ") ||
                before.ends_with("align ") || before.ends_with("grouped ") || text[end] == '.';
    result += !kept && digits == std::to_string(from) ? std::to_string(to) : digits;
    at = end;
  }
  return result;
}

class Editor {
public:
  explicit Editor(const std::string &text) : text(text) {}

  std::vector<Edit> run() {
    replaceEach(R"(!cta\.channel<(\d+) x)", {"1", "2", "3", "4", "5", "6"});
    changeSizes();
    changeWarps();
    replaceEach(R"(registers (\d+))",
                {"24", "40", "96", "104", "152", "160", "200", "240", "250", "256"});
    replaceEach(R"(wgmma<64x(\d+)x\d+>)", {"8", "24", "64", "96", "128", "192", "256", "264"});
    replaceEach(R"(wgmma<64x\d+x(\d+)>)", {"8", "16", "32", "64"});
    replaceEach(R"(cta\.cluster = array<i64: (\d+)>)", {"1", "3", "4", "16", "2, 2"});
    replaceEach(R"(grouped (\d+))", {"1", "3", "64"});
    replaceEach(R"(least (\d+))", {"0", "1", "2"});
    replaceEach(R"(cta\.channel (\w+))", {"put", "store", "tma", "registers"});
    replaceEach(R"((turn \d of \d))", {"turn 0 of 3", "turn 1 of 2"});
    replaceEach(R"(( multicast along 0| after %\w+ : !\w+))", {""});
    changeLines();
    return std::move(edits);
  }

private:
  void add(const std::string &what, std::string changed) {
    if (changed != text && seen.insert(changed).second)
      edits.push_back({what, std::move(changed)});
  }

  /// Puts each of `others` in place of what the pattern's group matches, in all equal matches.
  void replaceEach(const char *pattern, std::vector<std::string> others) {
    std::regex regex(pattern);
    std::set<std::string> whole;
    for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i) {
      std::string match = i->str();
      if (!whole.insert(match).second)
        continue;
      for (const std::string &other : others) {
        std::string to = match;
        to.replace(size_t(i->position(1) - i->position()), size_t(i->length(1)), other);
        add("`" + match + "` is now `" + to + "`", replaced(text, match, to));
      }
    }
  }

  void changeSizes() {
    std::regex extents(R"([<x\[ ](\d+)(?=x|, |\]))");
    std::set<int64_t> sizes;
    for (std::sregex_iterator i(text.begin(), text.end(), extents), end; i != end; ++i)
      if (int64_t size = std::stoll(i->str(1)); size >= 16 && size <= 512)
        sizes.insert(size);
    for (int64_t size : sizes)
      for (int64_t other : {size / 2, size * 3 / 4, size * 3 / 2, size * 2, size - 8, size + 4})
        add(std::to_string(size) + " is now " + std::to_string(other),
            renumbered(text, size, other));
  }

  void changeWarps() {
    for (int64_t warps : {4, 8, 12})
      for (int64_t other : {2, 4, 8, 12, 16}) {
        auto count = [](int64_t warps) { return std::to_string(warps); };
        std::string changed =
            replaced(text, "warps " + count(warps) + " ", "warps " + count(other) + " ");
        std::string what = count(warps) + " warps are now " + count(other);
        add(what + ", and products as they were", changed);
        changed = replaced(changed, "over " + count(warps) + "x1", "over " + count(other) + "x1");
        add(what, changed);
        for (int64_t rows : {64, 128, 192})
          add(what + ", with their rows", renumbered(changed, rows, rows * other / warps));
      }
  }

  void changeLines() {
    llvm::SmallVector<StringRef> split;
    StringRef(text).split(split, '\n');
    auto joined = [&](size_t first, std::vector<StringRef> instead) {
      std::vector<StringRef> all(split.begin(), split.begin() + first);
      all.insert(all.end(), instead.begin(), instead.end());
      all.insert(all.end(), split.begin() + first + 2, split.end());
      return llvm::join(all, "\n");
    };
    auto isOp = [](StringRef line) {
      return line.contains("cta.") && !line.ends_with("{") && !line.starts_with("!");
    };
    for (size_t i = 0; i + 1 < split.size(); ++i) {
      if (!isOp(split[i]))
        continue;
      bool writes = split[i].contains("cta.store"); // then the results are others
      std::string where = "line " + std::to_string(i + 1) + " ";
      if (!writes) {
        add(where + "is left out", joined(i, {split[i + 1]}));
        add(where + "is there twice", joined(i, {split[i], split[i], split[i + 1]}));
      }
      // MLIR's own parser does not survive a loop that starts from a value of its body.
      if (!split[i + 1].ends_with("{"))
        add(where + "comes one later", joined(i, {split[i + 1], split[i]}));
    }
  }

  const std::string &text;
  std::set<std::string> seen;
  std::vector<Edit> edits;
};

} // namespace

std::vector<Edit> tilewright::fuzz::editsOf(const std::string &text) { return Editor(text).run(); }
