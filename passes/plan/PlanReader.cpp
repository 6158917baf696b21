// Plans as text: lines, sections and single entries.
#include "passes/plan/PlanEntries.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright::passes {

using namespace llvm;

namespace {

constexpr StringLiteral kSections[] = {"when",     "tiles", "blocks",  "roles",
                                       "products", "loops", "channels"};

class Reader {
public:
  Reader(StringRef text, StringRef file) : text(text), entries(text, file) {}
  ErrorOr<Plan> read();
  /// Reads a text that is a single entry.
  ErrorOr<Plan> readAlone();

private:
  Status readHead(Piece line);
  Status readFacts(Piece field);

  StringRef text;
  EntryReader entries;
};

} // namespace

static std::string aSection() {
  auto names = map_range(kSections, [](StringRef name) { return name; });
  return "a section, one of `" + join(names, "`, `") + "`,";
}

/// "facts 5e1c0a2b"
Status Reader::readFacts(Piece field) {
  std::vector<Piece> words = field.words();
  if (words.size() != 2 || words[0].text != "facts" || words[1].text.size() != 8 ||
      !all_of(words[1].text, isHexDigit))
    return entries.error(field, "a hash of facts, such as `facts 5e1c0a2b`,");
  entries.plan.facts = words[1].text.lower();
  return {};
}

/// "plan 1 of matmul_nt for sm_90, facts 5e1c0a2b"
Status Reader::readHead(Piece line) {
  if (line.text.contains(',')) {
    auto [head, facts] = line.cut(',');
    TILEWRIGHT_TRY(readFacts(facts));
    line = head;
  }
  std::vector<Piece> words = line.words();
  if (words.size() != 6 || words[0].text != "plan" || words[2].text != "of" ||
      words[4].text != "for")
    return entries.error(line, "`plan 1 of KERNEL for TARGET`");
  TILEWRIGHT_ASSIGN(int64_t version, entries.number(words[1]));
  if (version != Plan::kVersion)
    return entries.error(words[1],
                         "`" + Twine(Plan::kVersion) + "`, the version of plans that is known,");
  entries.plan.kernel = words[3].text.str();
  entries.plan.target = words[5].text.str();
  return {};
}

ErrorOr<Plan> Reader::read() {
  StringRef section;
  bool hasHead = false;
  for (Piece line : Piece{text}.split('\n')) {
    line = {line.text.split('#').first.trim()};
    if (line.text.empty())
      continue;
    if (!hasHead) {
      TILEWRIGHT_TRY(readHead(line));
      hasHead = true;
      continue;
    }
    // A line without a section's name continues the one before.
    auto [word, rest] = line.cut(' ');
    if (is_contained(kSections, word.text)) {
      section = word.text;
      line = rest;
    } else if (section.empty()) {
      return entries.error(word, aSection());
    }
    // In sections whose entries have no fields, commas separate entries.
    bool plain = section == "when" || section == "tiles" || section == "blocks";
    StringRef separator = plain ? "," : ";";
    line.text.consume_back(separator); // the entry continues on the next line
    for (Piece entry : line.split(separator.front()))
      TILEWRIGHT_TRY(entries.readEntry(section, entry));
  }
  if (!hasHead)
    return entries.error({text.take_back(0)}, "`plan 1 of KERNEL for TARGET`");
  return std::move(entries.plan);
}

/// "channels.s1: tma, 5 slots"; "blocks: 1 per SM, grouped 8", as a section without keys.
ErrorOr<Plan> Reader::readAlone() {
  Piece entry{text.trim()};
  size_t end = std::min(entry.text.find_first_of(".:"), entry.text.size());
  Piece section{entry.text.take_front(end).trim()}, rest{entry.text.drop_front(end)};
  if (!is_contained(kSections, section.text))
    return entries.error(section, aSection());
  bool hasKey = section.text != "when" && section.text != "blocks";
  if (!rest.text.consume_front(hasKey ? "." : ":"))
    return entries.error(
        rest, hasKey ? "`.` and a key, as in `channels.s1: tma, 5 slots`,"
                     : "`:` and all of the section, as in `blocks: 1 per SM, grouped 8`,");
  rest = {rest.text.trim()};
  if (section.text == "tiles") {
    auto [parameter, extent] = rest.cut(':');
    if (parameter.words().size() != 1)
      return entries.error(parameter, "a tile parameter, as in `tiles.BM: 128`,");
    std::vector<Piece> words = extent.words();
    if (words.size() == 2 && parameter.text == "depth" && words[0].text == "of") {
      TILEWRIGHT_TRY(entries.readDepth(words[1]));
      return std::move(entries.plan);
    }
    if (words.size() > 1) {
      TILEWRIGHT_TRY(entries.readParts(parameter, extent));
      return std::move(entries.plan);
    }
    TILEWRIGHT_ASSIGN(int64_t number, entries.number(extent));
    entries.plan.tiles.push_back({parameter.text.str(), number});
    return std::move(entries.plan);
  }
  for (Piece part : hasKey ? std::vector{rest} : rest.split(','))
    TILEWRIGHT_TRY(entries.readEntry(section.text, part));
  return std::move(entries.plan);
}

ErrorOr<Plan> Plan::parse(StringRef text, StringRef file) { return Reader(text, file).read(); }

/// Replaces the entries with the same key, or adds the new ones.
template <typename Entry>
static void overlay(std::vector<Entry> &entries, ArrayRef<Entry> others, std::string Entry::*key) {
  for (const Entry &other : others) {
    auto same = find_if(entries, [&](const Entry &entry) { return entry.*key == other.*key; });
    if (same == entries.end())
      entries.push_back(other);
    else
      *same = other;
  }
}

Status Plan::set(StringRef entry) {
  TILEWRIGHT_ASSIGN(Plan read, Reader(entry, /*file=*/"").readAlone());
  if (entry.ltrim().starts_with("when"))
    positive = read.positive;
  if (entry.ltrim().starts_with("blocks"))
    blocks = read.blocks;
  overlay<Tile>(tiles, read.tiles, &Tile::parameter);
  overlay<Parts>(programs, read.programs, &Parts::axis);
  if (read.depth)
    depth = read.depth;
  overlay<Parts>(parts, read.parts, &Parts::axis);
  overlay<Role>(roles, read.roles, &Role::name);
  overlay<Product>(products, read.products, &Product::id);
  overlay<Loop>(loops, read.loops, &Loop::id);
  overlay<Channel>(channels, read.channels, &Channel::id);
  return {};
}

} // namespace tilewright::passes
