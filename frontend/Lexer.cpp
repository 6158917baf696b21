#include "frontend/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mlir;
using namespace tilewright::frontend;
using llvm::StringRef;

StringRef tilewright::frontend::spelling(TokenKind kind) {
  switch (kind) {
#define TOKEN(name, text)                                                                          \
  case TokenKind::name:                                                                            \
    return text;
#define PUNCT(name, text)                                                                          \
  case TokenKind::name:                                                                            \
    return text;
#define KEYWORD(name, text)                                                                        \
  case TokenKind::Kw##name:                                                                        \
    return text;
#include "frontend/Tokens.def"
  }
  return "";
}

namespace {

constexpr size_t kMaxBytes = size_t(16) << 20;

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

class Lexer {
public:
  Lexer(const Source &source, std::vector<Token> &tokens)
      : source(source), text(source.text), tokens(tokens) {}

  LogicalResult run();

private:
  char at(size_t i) const { return i < text.size() ? text[i] : '\0'; }
  char peek(size_t ahead = 0) const { return at(pos + ahead); }
  Loc here() const { return locOf(pos); }
  Loc locOf(size_t i) const { return {line, unsigned(i - lineStart + 1)}; }
  void add(TokenKind kind, size_t begin, size_t end) {
    tokens.push_back({kind, locOf(begin), text.slice(begin, end)});
  }
  void newLine() {
    ++line;
    lineStart = pos;
  }

  LogicalResult checkEncoding();
  LogicalResult indentation();
  LogicalResult token();
  LogicalResult number();
  LogicalResult string();
  LogicalResult name();
  LogicalResult punctuation();
  LogicalResult bracket(TokenKind kind, Loc loc);

  const Source &source;
  StringRef text;
  std::vector<Token> &tokens;
  size_t pos = 0, lineStart = 0;
  unsigned line = 1;
  std::vector<StringRef> indents{""};
  std::vector<Token> brackets;
};

LogicalResult Lexer::checkEncoding() {
  if (text.size() > kMaxBytes)
    return source.error({}) << "the file has " << text.size() << " bytes; the limit is "
                            << kMaxBytes;
  Loc loc;
  auto *p = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  while (p < end) {
    if (*p == 0)
      return source.error(loc) << "the file holds a NUL byte";
    unsigned size = llvm::getNumBytesForUTF8(*p);
    if (size > size_t(end - p) || !llvm::isLegalUTF8Sequence(p, p + size))
      return source.error(loc) << "the file is not valid UTF-8: byte 0x"
                               << llvm::utohexstr(*p, /*LowerCase=*/true);
    if (*p == '\n')
      loc = {loc.line + 1, 1};
    else
      loc.column += size;
    p += size;
  }
  return success();
}

/// Reads the white space at the start of a line and says how it compares with the open blocks.
LogicalResult Lexer::indentation() {
  size_t begin = pos;
  while (peek() == ' ' || peek() == '\t')
    ++pos;
  char next = peek();
  if (next == '\n' || next == '\r' || next == '#' || pos == text.size())
    return success(); // a blank line does not end a block
  StringRef indent = text.slice(begin, pos);
  if (indent == indents.back())
    return success();
  if (indent.starts_with(indents.back())) {
    if (indents.size() >= 100)
      return source.error(here()) << "blocks are nested more than 100 deep";
    indents.push_back(indent);
    add(TokenKind::Indent, pos, pos);
    return success();
  }
  if (!indents.back().starts_with(indent))
    return source.error(here()) << "tabs and spaces are mixed: the indentation does not compare "
                                   "with the line above";
  while (indents.size() > 1 && indents.back().size() > indent.size()) {
    indents.pop_back();
    add(TokenKind::Dedent, pos, pos);
  }
  if (indents.back() != indent)
    return source.error(here()) << "the indentation of " << indent.size()
                                << " matches no open block (the nearest has "
                                << indents.back().size() << ")";
  return success();
}

LogicalResult Lexer::run() {
  if (failed(checkEncoding()))
    return failure();
  if (text.starts_with("\xEF\xBB\xBF"))
    pos = lineStart = 3;
  bool atLineStart = true;
  while (pos < text.size()) {
    if (atLineStart && brackets.empty() && failed(indentation()))
      return failure();
    atLineStart = false;
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f' || (c == '\r' && peek(1) == '\n')) {
      ++pos;
    } else if (c == '#') {
      while (pos < text.size() && peek() != '\n')
        ++pos;
    } else if (c == '\n') {
      if (brackets.empty() && !tokens.empty() && tokens.back().kind != TokenKind::Newline &&
          tokens.back().kind != TokenKind::Dedent && tokens.back().kind != TokenKind::Indent)
        add(TokenKind::Newline, pos, pos);
      ++pos;
      newLine();
      atLineStart = true;
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      pos += peek(1) == '\n' ? 2 : 3;
      newLine();
    } else if (pos < text.size() && failed(token())) {
      return failure();
    }
  }
  if (!brackets.empty())
    return source.error(brackets.back().loc) << "`" << brackets.back().text << "` is never closed";
  if (!tokens.empty() && tokens.back().kind != TokenKind::Newline)
    add(TokenKind::Newline, pos, pos);
  for (; indents.size() > 1; indents.pop_back())
    add(TokenKind::Dedent, pos, pos);
  add(TokenKind::End, pos, pos);
  return success();
}

LogicalResult Lexer::token() {
  char c = peek();
  if (isNameStart(c))
    return name();
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
    return number();
  if (c == '"' || c == '\'')
    return string();
  return punctuation();
}

LogicalResult Lexer::name() {
  size_t begin = pos;
  while (isNamePart(peek()))
    ++pos;
  StringRef word = text.slice(begin, pos);
  if (peek() == '"' || peek() == '\'') {
    if (word.size() <= 2 && word.find_first_of("fF") != StringRef::npos)
      return source.error(locOf(begin)) << "f-strings are not supported: write a plain string";
    if (word.size() <= 2 && word.find_first_not_of("rRbBuU") == StringRef::npos)
      return source.error(locOf(begin)) << "the string prefix `" << word << "` is not supported";
  }
  TokenKind kind = llvm::StringSwitch<TokenKind>(word)
#define KEYWORD(name, text) .Case(text, TokenKind::Kw##name)
#define UNSUPPORTED(text, hint) .Case(text, TokenKind::Unsupported)
#include "frontend/Tokens.def"
                       .Default(TokenKind::Name);
  add(kind, begin, pos);
  return success();
}

LogicalResult Lexer::number() {
  size_t begin = pos;
  bool isFloat = false;
  char radix = llvm::toLower(peek(1));
  if (peek() == '0' && (radix == 'x' || radix == 'o' || radix == 'b')) {
    pos += 2;
    while (isNamePart(peek()))
      ++pos;
  } else {
    auto digits = [&] {
      while (llvm::isDigit(peek()) || peek() == '_')
        ++pos;
    };
    digits();
    if (peek() == '.') {
      isFloat = true;
      ++pos;
      digits();
    }
    if (llvm::toLower(peek()) == 'e') {
      size_t sign = peek(1) == '+' || peek(1) == '-';
      if (llvm::isDigit(peek(1 + sign))) {
        isFloat = true;
        pos += 1 + sign;
        digits();
      }
    }
    if (isNameStart(peek()))
      return source.error(here()) << "`" << StringRef(text.data() + pos, 1)
                                  << "` follows the number `" << text.slice(begin, pos) << "`";
  }
  add(isFloat ? TokenKind::Float : TokenKind::Int, begin, pos);
  return success();
}

LogicalResult Lexer::string() {
  Loc start = here();
  char quote = peek();
  bool triple = peek(1) == quote && peek(2) == quote;
  pos += triple ? 3 : 1;
  size_t begin = pos;
  while (true) {
    if (pos >= text.size() || (!triple && peek() == '\n'))
      return source.error(start) << "the string is never closed";
    if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
      break;
    if (peek() == '\\' && pos + 1 < text.size() && peek(1) != '\n')
      ++pos;
    if (text[pos++] == '\n')
      newLine();
  }
  tokens.push_back({TokenKind::String, start, text.slice(begin, pos)});
  pos += triple ? 3 : 1;
  return success();
}

LogicalResult Lexer::punctuation() {
  static constexpr std::pair<StringRef, TokenKind> kTable[] = {
#define PUNCT(name, text) {text, TokenKind::name},
#include "frontend/Tokens.def"
  };
  for (auto [word, kind] : kTable)
    if (text.substr(pos).starts_with(word)) {
      Loc loc = here();
      add(kind, pos, pos + word.size());
      pos += word.size();
      return bracket(kind, loc);
    }
  unsigned size = llvm::getNumBytesForUTF8(llvm::UTF8(peek()));
  return source.error(here()) << "the character `" << text.substr(pos, size)
                              << "` has no meaning here";
}

LogicalResult Lexer::bracket(TokenKind kind, Loc loc) {
  auto closes = [](TokenKind open) {
    return open == TokenKind::LParen     ? TokenKind::RParen
           : open == TokenKind::LBracket ? TokenKind::RBracket
                                         : TokenKind::RBrace;
  };
  switch (kind) {
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
    if (brackets.size() >= 100)
      return source.error(loc) << "brackets are nested more than 100 deep";
    brackets.push_back(tokens.back());
    return success();
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
    if (brackets.empty())
      return source.error(loc) << "`" << spelling(kind) << "` closes nothing";
    if (closes(brackets.back().kind) != kind)
      return source.error(loc) << "`" << spelling(kind) << "` does not close the `"
                               << brackets.back().text << "` of line " << brackets.back().loc.line;
    brackets.pop_back();
    return success();
  default:
    return success();
  }
}

} // namespace

LogicalResult tilewright::frontend::lex(const Source &source, std::vector<Token> &tokens) {
  return Lexer(source, tokens).run();
}
