// A look at the characters of a program. Of MLIR's grammar, it needs to know where a name is
// defined: before `=`, in a list before `=`, before `:` and in the lists of `cta.tiles`. (A name
// before `:` may be a use; the parser then checks it.)
#include "tools/driver/CtaText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

using namespace tilewright;
using namespace tilewright::driver;
using llvm::StringRef;

namespace {

class Glance {
public:
  explicit Glance(StringRef text) : text(text) {}

  std::optional<TextFault> run() {
    while (!fault && at < text.size())
      step();
    return std::move(fault);
  }

private:
  void step();
  void string();
  void open(char bracket);
  void close(char bracket);
  void word();
  void value();
  StringRef rest() const { return text.substr(at); }
  bool isVisible(StringRef name) const {
    return llvm::any_of(scopes, [&](const auto &scope) { return scope.contains(name); });
  }

  StringRef text;
  size_t at = 0;
  std::vector<char> brackets; ///< That are open.
  /// Of braces: the names that are given values.
  std::vector<llvm::StringSet<>> scopes{{}};
  bool inNames = false; ///< Of `cta.tiles`, up to the bracket's end.
  std::optional<TextFault> fault;
};

bool isNamePart(char c) { return llvm::isAlnum(c) || StringRef("_$.-").contains(c); }

void Glance::step() {
  char c = text[at];
  if (rest().starts_with("//"))
    at = std::min(text.find('\n', at), text.size());
  else if (c == '"')
    string();
  else if (c == '%')
    value();
  else if (llvm::isAlpha(c))
    word();
  else if (rest().starts_with("->"))
    at += 2;
  else {
    if (StringRef("([{<").contains(c))
      open(c);
    else if (StringRef(")]}>").contains(c))
      close(c);
    ++at;
  }
}

void Glance::string() {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    at += text[at] == '\\';
  ++at;
}

void Glance::open(char bracket) {
  constexpr size_t kDeepest = 100;
  brackets.push_back(bracket);
  if (brackets.size() > kDeepest)
    fault = {at, "brackets are nested more than " + std::to_string(kDeepest) + " deep"};
  if (bracket == '{')
    scopes.emplace_back();
}

void Glance::close(char bracket) {
  if (!brackets.empty())
    brackets.pop_back();
  inNames &= bracket != ')';
  if (bracket == '}' && scopes.size() > 1)
    scopes.pop_back();
}

void Glance::word() {
  StringRef found = rest().take_while(isNamePart);
  inNames |= found == "cta.tiles" || found == "split";
  at += found.size();
}

/// Whether a list of results goes on here, up to its `=`.
bool endsInEquals(StringRef text) {
  for (text = text.ltrim(); text.consume_front(","); text = text.ltrim()) {
    text = text.ltrim();
    if (!text.consume_front("%"))
      return false;
    text = text.drop_while(isNamePart);
    if (text.consume_front(":"))
      text = text.drop_while(llvm::isDigit);
  }
  return text.starts_with("=");
}

void Glance::value() {
  size_t from = at++;
  StringRef name = rest().take_while(isNamePart);
  at += name.size();
  if (rest().starts_with("#")) // one of several results
    at += 1 + rest().drop_front().take_while(llvm::isDigit).size();
  StringRef next = rest().ltrim();
  bool inList = !brackets.empty() && brackets.back() == '('; // of which each has its own `=`
  if (inNames || next.starts_with("=") || next.starts_with(":") || (!inList && endsInEquals(next)))
    scopes.back().insert(name);
  else if (!isVisible(name))
    fault = {from, ("`%" + name + "` is used before it is given a value").str()};
}

} // namespace

std::optional<TextFault> driver::findFault(StringRef text) { return Glance(text).run(); }
