// Says where elements of tiles are. Each line of the input is a question in JSON about a layout of
// the page's data (docs/inspector.md): {"layout", "register", "lane", "warp"} asks for coordinates,
// {"place", "row", "column"} for a byte of a slot.
#include "ir/Layout.h"
#include "ir/PanelLayout.h"

#include "llvm/Support/JSON.h"

#include <cstdio>
#include <iostream>

using namespace tilewright;

static Digits digitsOf(const llvm::json::Object &layout, llvm::StringRef level) {
  Digits digits;
  for (const llvm::json::Value &digit : *layout.getArray(level)) {
    const llvm::json::Array &numbers = *digit.getAsArray();
    digits.push_back(
        {*numbers[0].getAsInteger(), *numbers[1].getAsInteger(), *numbers[2].getAsInteger()});
  }
  return digits;
}

static llvm::json::Value coordinates(const llvm::json::Object &question) {
  const llvm::json::Object &json = *question.getObject("layout");
  Layout layout(digitsOf(json, "registers"), digitsOf(json, "lanes"), digitsOf(json, "warps"));
  Coordinates at =
      layout.coordinates(int64_t(json.getArray("shape")->size()), *question.getInteger("register"),
                         *question.getInteger("lane"), *question.getInteger("warp"));
  return llvm::json::Array(at);
}

static llvm::json::Value byteOffset(const llvm::json::Object &question) {
  const llvm::json::Object &place = *question.getObject("place");
  int64_t row = *question.getInteger("row"), column = *question.getInteger("column");
  int64_t bytes = *place.getInteger("bits") / 8;
  if (auto swizzle = place.getInteger("panel"))
    return PanelLayout{*place.getInteger("rows"), *place.getInteger("columns"), bytes, *swizzle}
        .byteOffset(row, column);
  const llvm::json::Array &swizzle = *place.getArray("swizzle");
  SharedLayout layout{*place.getInteger("pitch"), *swizzle[0].getAsInteger(),
                      *swizzle[1].getAsInteger()};
  return layout.byteOffset(row, column, bytes);
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    llvm::Expected<llvm::json::Value> question = llvm::json::parse(line);
    if (!question || !question->getAsObject())
      return 1;
    const llvm::json::Object &object = *question->getAsObject();
    llvm::outs() << (object.getObject("layout") ? coordinates(object) : byteOffset(object)) << "\n";
  }
}
