#include "codegen/Prelude.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tilewright::codegen;
using llvm::StringRef;

static const char *const kPreludeFiles[] = {
#include "codegen/Prelude.inc"
};

namespace {
struct Section {
  llvm::SmallVector<StringRef, 4> names;
  StringRef text;
};

struct Sections {
  std::vector<Section> list;
  llvm::StringMap<size_t> byName;
};
} // namespace

static Sections parseSections() {
  Sections sections;
  for (StringRef file : kPreludeFiles) {
    // The text above the first marker is about the file, not about a section.
    StringRef rest = file.substr(file.find("//@ "));
    while (rest.consume_front("//@ ")) {
      auto [marker, body] = rest.split('\n');
      size_t end = body.find("//@ ");
      Section section;
      marker.split(section.names, ' ', -1, false);
      section.text = body.substr(0, end).trim();
      for (StringRef name : section.names)
        sections.byName[name] = sections.list.size();
      sections.list.push_back(section);
      rest = end == StringRef::npos ? StringRef() : body.substr(end);
    }
  }
  return sections;
}

static const Sections &allSections() {
  static const Sections sections = parseSections();
  return sections;
}

static bool isIdentifierPart(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Marks the sections that define an identifier of `text`, and those that these need. What a
/// comment says needs nothing.
static void markNeeded(StringRef text, std::vector<bool> &needed) {
  const Sections &sections = allSections();
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    if (!isIdentifierPart(text.front())) {
      text = text.drop_front();
      continue;
    }
    StringRef word = text.take_while(isIdentifierPart);
    text = text.drop_front(word.size());
    auto found = sections.byName.find(word);
    if (found == sections.byName.end() || needed[found->second])
      continue;
    needed[found->second] = true;
    markNeeded(sections.list[found->second].text, needed);
  }
}

std::string tilewright::codegen::preludeFor(StringRef text) {
  const Sections &sections = allSections();
  std::vector<bool> needed(sections.list.size());
  markNeeded(text, needed);
  std::string prelude;
  for (auto [i, section] : llvm::enumerate(sections.list))
    if (needed[i])
      prelude += (section.text + "\n\n").str();
  return prelude;
}

std::vector<StringRef> tilewright::codegen::preludeNames() {
  std::vector<StringRef> names;
  for (const Section &section : allSections().list)
    names.insert(names.end(), section.names.begin(), section.names.end());
  return names;
}
