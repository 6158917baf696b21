#include "tools/inspector/Page.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;

/// The page around the data (tools/inspector/bundle.py).
static constexpr llvm::StringLiteral kParts[] = {
#include "tools/inspector/PageText.inc"
};

std::string inspector::embeddable(llvm::json::Value data) {
  std::string plain, result;
  llvm::raw_string_ostream(plain) << data;
  result.reserve(plain.size() + plain.size() / 16);
  for (char c : plain)
    if (c == '<') // only strings have one
      result += "\\u003c";
    else
      result += c;
  return result;
}

std::string inspector::pageOf(llvm::json::Value data) {
  std::string page;
  for (llvm::StringRef part : kParts)
    if (part == "data")
      page += embeddable(data);
    else
      page += part;
  return page;
}
