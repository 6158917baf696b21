// The ways in which a text is changed: a list of functions, of which a choice takes one.
#include "tools/fuzz/Texts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace tilewright::fuzz;
using llvm::StringRef;

namespace {

using Texts = std::vector<SourceText>;

/// Names, numbers and single other characters; or lines, with their ends.
std::vector<StringRef> tokensOf(StringRef text) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  std::vector<StringRef> tokens;
  while (!text.empty()) {
    size_t size = std::max<size_t>(1, text.take_while(isWord).size());
    tokens.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  return tokens;
}
std::vector<StringRef> linesOf(StringRef text) {
  std::vector<StringRef> lines;
  while (!text.empty()) {
    size_t size =
        std::min(text.size(), text.find('\n') == text.npos ? text.size() : text.find('\n') + 1);
    lines.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  return lines;
}
/// Either.
std::vector<StringRef> partsOf(Choices &choices, StringRef text) {
  return choices.chance(30) ? linesOf(text) : tokensOf(text);
}

size_t placeIn(Choices &choices, size_t size) { return choices.below(uint32_t(size)); }

/// Some parts that stand side by side: [begin, end).
std::pair<size_t, size_t> someOf(Choices &choices, const std::vector<StringRef> &parts) {
  size_t begin = placeIn(choices, parts.size());
  return {begin, std::min(parts.size(), begin + 1 + choices.below(6))};
}

std::string joined(llvm::ArrayRef<StringRef> parts) { return llvm::join(parts, ""); }

/// What a text becomes; it is not empty.
using Change = std::string (*)(Choices &, StringRef text, const SourceText &source, const Texts &);

/// Larger texts are dropped: repeated parts of repeated parts.
constexpr size_t kLargest = size_t(1) << 20;

std::string leaveOut(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  std::vector<StringRef> parts = partsOf(choices, text);
  auto [begin, end] = someOf(choices, parts);
  parts.erase(parts.begin() + begin, parts.begin() + end);
  return joined(parts);
}

std::string repeat(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  std::vector<StringRef> parts = partsOf(choices, text);
  auto [begin, end] = someOf(choices, parts);
  std::string part = joined(llvm::ArrayRef(parts).slice(begin, end - begin)), all;
  for (int64_t times = choices.pick({1, 2, 130, 3000}); times > 0 && all.size() <= kLargest;
       --times)
    all += part;
  return joined(llvm::ArrayRef(parts).take_front(end)) + all +
         joined(llvm::ArrayRef(parts).drop_front(end));
}

std::string exchange(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  std::vector<StringRef> parts = partsOf(choices, text);
  std::swap(parts[placeIn(choices, parts.size())], parts[placeIn(choices, parts.size())]);
  return joined(parts);
}

/// Puts a part of another text in place of one.
std::string borrow(Choices &choices, StringRef text, const SourceText &, const Texts &others) {
  const std::string &other = choices.pick(others).text;
  bool byLines = choices.chance(50);
  std::vector<StringRef> parts = byLines ? linesOf(text) : tokensOf(text);
  std::vector<StringRef> lent = byLines ? linesOf(other) : tokensOf(other);
  if (!lent.empty())
    parts[placeIn(choices, parts.size())] = choices.pick(lent);
  return joined(parts);
}

std::string changeNumber(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  std::vector<StringRef> parts = tokensOf(text), numbers;
  std::vector<size_t> places;
  for (size_t i = 0; i < parts.size(); ++i)
    if (llvm::isDigit(parts[i].front()))
      places.push_back(i);
  if (!places.empty())
    parts[choices.pick(places)] = choices.pick<StringRef>({"0",
                                                           "1",
                                                           "-1",
                                                           "3",
                                                           "65",
                                                           "127",
                                                           "1024",
                                                           "32768",
                                                           "65536",
                                                           "1048576",
                                                           "2147483647",
                                                           "2147483648",
                                                           "4294967295",
                                                           "4294967296",
                                                           "9223372036854775807",
                                                           "9223372036854775808",
                                                           "18446744073709551616",
                                                           "99999999999999999999999999999999999999",
                                                           "0x7fffffffffffffff",
                                                           "1e400",
                                                           "1e-400",
                                                           "0.1",
                                                           "00",
                                                           "?",
                                                           "1_0",
                                                           "-9223372036854775808"});
  return joined(parts);
}

/// Words of either language that a parser may not expect where they are put.
std::string putWords(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  std::vector<StringRef> parts = tokensOf(text);
  StringRef words = choices.pick<StringRef>({" not ",
                                             " if ",
                                             " else ",
                                             " for i in range(3):\n",
                                             " lambda ",
                                             " None ",
                                             " True ",
                                             "None",
                                             ":",
                                             "::",
                                             "**",
                                             "*",
                                             "//",
                                             "->",
                                             "@",
                                             "@kernel\n",
                                             "def f(x):\n",
                                             "return",
                                             "return x\n",
                                             "\n",
                                             "\n\t",
                                             "\n    ",
                                             "\\\n",
                                             "\"",
                                             "\"\"\"",
                                             "'",
                                             "#",
                                             ";",
                                             ",",
                                             "=",
                                             ":=",
                                             "...",
                                             "~",
                                             "x[None]",
                                             "x[::2]",
                                             "x[:, :, :, :, :, :, :, :, :]",
                                             ".to(f32)",
                                             ".T",
                                             "()",
                                             "(,)",
                                             "dims()",
                                             "dtypes()",
                                             "Tensor[f32]",
                                             "tune[1]",
                                             "const[bool]",
                                             "grid(1)",
                                             "block(1, 0)",
                                             "range(0)",
                                             "zeros((0, 0), f32)",
                                             "zeros((1 << 40, 1 << 40), f32)",
                                             "1 << 63",
                                             "-1 >> 65",
                                             "1 // 0",
                                             "1 % 0",
                                             "2 ** 2 ** 2 ** 2",
                                             "0 ** -1",
                                             "inf",
                                             "nan",
                                             "max(",
                                             "assert ",
                                             "while True:\n",
                                             "%",
                                             "%0",
                                             "%arg0",
                                             "^bb0:",
                                             "!",
                                             "#a",
                                             "!cta.channel<2 x tensor<64x64xbf16>>",
                                             "!cta.slot<tensor<64x64xbf16>>",
                                             "!cta.pending<tensor<64x64xf32>>",
                                             "!tile.view<?xbf16>",
                                             "!tile.view<>",
                                             "tensor<?xf32>",
                                             "tensor<*xf32>",
                                             "tensor<0xf32>",
                                             "tensor<>",
                                             "none",
                                             "index",
                                             "f64",
                                             "i1",
                                             "i128",
                                             "complex<f32>",
                                             "vector<4xf32>",
                                             "tuple<>",
                                             "(",
                                             ")",
                                             "{",
                                             "}",
                                             "[",
                                             "]",
                                             "<",
                                             ">",
                                             "loc(unknown)",
                                             "loc(\"a\":1:1)",
                                             "#loc",
                                             "{a = 1}",
                                             "attributes {",
                                             "private",
                                             "unit",
                                             "dense<0>",
                                             "dense<\"0x\">",
                                             "affine_map<(d0) -> (d0)>",
                                             " : i32",
                                             "module {",
                                             "\"builtin.module\"() ({",
                                             "\"cta.role\"() : () -> ()",
                                             "cta.role \"a\" {",
                                             "func.func @f()",
                                             "func.func private @f()",
                                             "cta.target = \"sm_90\"",
                                             "tile.dims = [1]",
                                             "tile.dims = []",
                                             "tile.name = 1",
                                             "!a = i32\n",
                                             "#a = 1\n",
                                             "-}",
                                             "\xff",
                                             "\xc3\xa9"});
  parts.insert(parts.begin() + placeIn(choices, parts.size() + 1), words);
  return joined(parts);
}

/// Deep nesting, closed or not.
std::string nest(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  using Pair = std::pair<StringRef, StringRef>;
  auto [open, close] = choices.pick<Pair>({{"(", ")"},
                                           {"[", "]"},
                                           {"{", "}"},
                                           {"<", ">"},
                                           {"-", ""},
                                           {"not ", ""},
                                           {"x[", "]"},
                                           {"1 + ", ""},
                                           {"f(", ")"},
                                           {"2 ** ", ""},
                                           {"a if b else ", ""},
                                           {"x and ", ""},
                                           {"x.", ""},
                                           {"x < ", ""},
                                           {"tensor<", ">"},
                                           {"tuple<", ">"},
                                           {"!cta.channel<2 x ", ">"},
                                           {"scf.if %c {\n", "}\n"},
                                           {"module {\n", "}\n"},
                                           {"loc(fused[", "])"},
                                           {"{a = ", "}"},
                                           {"(i32) -> ", ""},
                                           {"cta.role \"a\" warps 4 {\n", "}\n"},
                                           {"if x:\n", ""},
                                           {"elif x:\n", ""},
                                           {"\n ", ""}});
  int64_t depth = choices.pick({3, 90, 110, 700, 20000});
  std::vector<StringRef> parts = tokensOf(text);
  auto [begin, end] = someOf(choices, parts);
  std::vector<StringRef> result(parts.begin(), parts.begin() + begin);
  result.insert(result.end(), depth, open);
  result.insert(result.end(), parts.begin() + begin, parts.begin() + end);
  result.insert(result.end(), choices.chance(70) ? depth : 0, close);
  result.insert(result.end(), parts.begin() + end, parts.end());
  return joined(result);
}

/// Leaves out what stands behind a `:` or in parentheses, to the end of the line: types mostly.
std::string leaveOutTypes(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  std::vector<StringRef> lines = linesOf(text);
  StringRef &line = lines[placeIn(choices, lines.size())];
  std::string result = line.split(choices.pick({':', '(', '<', '='})).first.str() + "\n";
  line = result;
  return joined(lines);
}

std::string cutOff(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  return text.take_front(placeIn(choices, text.size())).str();
}

std::string changeByte(Choices &choices, StringRef text, const SourceText &, const Texts &) {
  std::string result = text.str();
  result[placeIn(choices, result.size())] = char(choices.below(256));
  return result;
}

/// An argument of a `cta` program of a type that no host can pass.
std::string changeArgument(Choices &choices, StringRef text, const SourceText &source,
                           const Texts &) {
  StringRef type = choices.pick<StringRef>(
      {"!cta.channel<2 x tensor<64x64xbf16>>", "!cta.slot<tensor<64x64xbf16>>", "f64", "index",
       "i128", "tensor<64x64xbf16>", "none", "!tile.view<?x?xf64>", "!tile.view<?xindex>", "bf16"});
  size_t at = text.find("%");
  for (uint32_t skip = choices.below(6); skip > 0 && at != text.npos; --skip)
    at = text.find("%", at + 1);
  size_t colon = text.find(": ", at);
  if (at == text.npos || colon == text.npos || !StringRef(source.file).ends_with(".mlir"))
    return text.str();
  size_t end = text.find_first_of(" ,)\n", colon + 2);
  return (text.take_front(colon + 2) + type + text.substr(end)).str();
}

constexpr Change kChanges[] = {leaveOut, repeat, exchange,      borrow,     changeNumber,  putWords,
                               nest,     cutOff, leaveOutTypes, changeByte, changeArgument};

} // namespace

void tilewright::fuzz::changeText(Choices &choices, SourceText &source, const Texts &others) {
  Change change = kChanges[choices.below(std::size(kChanges))];
  if (source.text.empty())
    return;
  std::string changed = change(choices, source.text, source, others);
  if (changed.size() <= kLargest)
    source.text = std::move(changed);
}
