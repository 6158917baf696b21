// The meaning of each entry in a plan's text, and errors that say what is expected.
#include "passes/plan/PlanEntries.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tilewright::passes {

using namespace llvm;

Error EntryReader::error(Piece at, const Twine &expected) const {
  StringRef before = text.take_front(at.text.data() - text.data());
  size_t line = before.count('\n') + 1, column = before.size() - before.rfind('\n');
  if (!before.contains('\n'))
    column = before.size() + 1;
  std::string found = at.text.empty() ? "nothing" : ("`" + at.text + "`").str();
  std::string place = file.empty() ? ("entry `" + text + "`, column " + Twine(column)).str()
                                   : (file + ":" + Twine(line) + ":" + Twine(column)).str();
  return {(place + ": " + found + " stands where " + expected + " is expected").str()};
}

ErrorOr<int64_t> EntryReader::number(Piece piece) const {
  int64_t value;
  if (piece.text.getAsInteger(10, value) || value < 1)
    return error(piece, "a number, at least 1,");
  return value;
}

bool EntryReader::counts(Piece piece, StringRef of) const {
  std::vector<Piece> words = piece.words();
  return words.size() == 2 && (words[1].text == of || words[1].text == (of + "s").str());
}

ErrorOr<int64_t> EntryReader::count(Piece piece, StringRef of) const {
  if (!counts(piece, of))
    return error(piece, "a number of `" + of + "s`");
  return number(piece.words()[0]);
}

/// "64x256x16"
ErrorOr<std::vector<int64_t>> EntryReader::sizes(Piece piece) const {
  std::vector<int64_t> result;
  for (Piece part : piece.split('x')) {
    TILEWRIGHT_ASSIGN(int64_t size, number(part));
    result.push_back(size);
  }
  return result;
}

/// "scale > 0"
Status EntryReader::readWhen(Piece entry) {
  std::vector<Piece> words = entry.words();
  if (words.size() != 3 || words[1].text != ">" || words[2].text != "0")
    return error(entry, "a condition on a scalar argument, such as `scale > 0`,");
  plan.positive.push_back(words[0].text.str());
  return {};
}

Status EntryReader::readParts(Piece axis, Piece parts) {
  auto [word, count] = parts.cut(' ');
  if (!is_contained(Plan::Parts::kAxes, axis.text))
    return error(axis, "`rows` or `columns`, of which there are parts,");
  if (word.text != "in" && word.text != "of")
    return error(parts, "`in 2 parts`, or `of 2 programs`,");
  bool areParts = word.text == "in";
  StringRef of = areParts ? "part" : "program";
  Plan::Parts read{axis.text.str(), 0};
  TILEWRIGHT_ASSIGN(read.count, this->count(count, of));
  if (read.count < 2)
    return error(count, Twine("a number of ") + of + "s, at least 2,");
  (areParts ? plan.parts : plan.programs).push_back(std::move(read));
  return {};
}

/// "depth of 64"
Status EntryReader::readDepth(Piece extent) {
  TILEWRIGHT_ASSIGN(plan.depth, number(extent));
  return {};
}

Status EntryReader::readTile(Piece entry) {
  std::vector<Piece> words = entry.words();
  if (words.size() == 4) {
    auto [axis, parts] = entry.cut(' ');
    return readParts(axis, parts);
  }
  if (words.size() == 3 && words[0].text == "depth" && words[1].text == "of")
    return readDepth(words[2]);
  if (words.size() != 2)
    return error(entry, "a tile parameter and its extent, such as `BM 128`, or `rows in 2 parts`,");
  TILEWRIGHT_ASSIGN(int64_t extent, number(words[1]));
  plan.tiles.push_back({words[0].text.str(), extent});
  return {};
}

/// Whether a text is an id: the letter and a number.
static bool isId(StringRef text, char letter) {
  return text.size() > 1 && text.front() == letter && all_of(text.drop_front(), isDigit);
}

/// "clusters of 2", "clusters of 2 x 4"
Status EntryReader::readCluster(Piece entry) {
  std::vector<Piece> words = entry.words();
  plan.blocks.cluster.clear();
  TILEWRIGHT_ASSIGN(plan.blocks.cluster.emplace_back(), number(words[2]));
  if (words.size() == 3)
    return {};
  if (words.size() != 5 || words[3].text != "x")
    return error(entry, "`clusters of 2`, or of `2 x 4` along two axes,");
  TILEWRIGHT_ASSIGN(plan.blocks.cluster.emplace_back(), number(words[4]));
  return {};
}

Status EntryReader::readBlocks(Piece entry) {
  std::vector<Piece> words = entry.words();
  if (entry.text == "folded")
    plan.blocks.folded = true;
  else if (entry.text == "descending")
    plan.blocks.descending = true;
  else if (entry.text == "queue")
    plan.blocks.queue = true;
  else if (!words.empty() && words[0].text == "axes")
    return readAxes(entry);
  else if (words.size() == 2 && words[0].text == "grouped") {
    TILEWRIGHT_ASSIGN(plan.blocks.grouped, number(words[1]));
  } else if (words.size() >= 3 && words[0].text == "clusters" && words[1].text == "of") {
    return readCluster(entry);
  } else if (words.size() == 3 && words[1].text == "in" && words[2].text == "turns") {
    TILEWRIGHT_ASSIGN(plan.blocks.turns, number(words[0]));
    if (plan.blocks.turns < 2)
      return error(words[0], "a number of turns, at least 2,");
  } else if (words.size() == 4 && words[0].text == "split" && words[2].text == "least") {
    if (!isId(words[1].text, 'l'))
      return error(words[1], "a loop such as `l1`");
    plan.blocks.splitLoop = words[1].text.str();
    TILEWRIGHT_ASSIGN(plan.blocks.least, number(words[3]));
  } else if (words.size() == 3 && words[1].text == "per" && words[2].text == "SM") {
    TILEWRIGHT_ASSIGN(plan.blocks.perSm, number(words[0]));
  } else if (entry.text != "one per tile") {
    return error(
        entry,
        "`one per tile`, `1 per SM`, `clusters of 2`, `clusters of 2 x 4`, `2 in turns`, `split l1 "
        "least 16`, `axes 1 0`, `grouped 16`, `folded`, `descending` or `queue`");
  }
  return {};
}

/// "axes 1 0 2"
Status EntryReader::readAxes(Piece entry) {
  std::vector<Piece> words = entry.words();
  int64_t count = words.size() - 1;
  for (Piece word : ArrayRef(words).drop_front()) {
    int64_t axis;
    if (word.text.getAsInteger(10, axis) || axis < 0 || axis >= count ||
        is_contained(plan.blocks.axes, axis))
      return error(word, "each axis of the grid once, from 0 on,");
    plan.blocks.axes.push_back(axis);
  }
  return count ? Status() : error(entry, "the axes of the grid, such as `axes 1 0 2`,");
}

Status EntryReader::readRole(Piece entry) {
  auto [name, rest] = entry.cut(':');
  Plan::Role role{name.text.str(), 0, std::nullopt, {}, {}};
  for (Piece field : rest.split(','))
    if (counts(field, "warp")) {
      TILEWRIGHT_ASSIGN(role.warps, count(field, "warp"));
    } else if (counts(field, "register")) {
      TILEWRIGHT_ASSIGN(role.registers, count(field, "register"));
    } else if (isId(field.text, 's')) {
      role.streams.push_back(field.text.str());
    } else if (isId(field.text, 't')) {
      role.tiles.push_back(field.text.str());
    } else {
      return error(field,
                   "`4 warps`, `40 registers`, a stream such as `s1` or a tile such as `t1`");
    }
  if (role.warps == 0)
    return error(rest, "how many warps role `" + role.name + "` has");
  plan.roles.push_back(std::move(role));
  return {};
}

Status EntryReader::readProduct(Piece entry) {
  auto [id, rest] = entry.cut(':');
  if (!isId(id.text, 'p'))
    return error(id, "a product such as `p1`");
  std::vector<Piece> fields = rest.split(',');
  std::vector<Piece> unit = fields[0].words();
  std::vector<Piece> split = fields.size() > 1 ? fields[1].words() : std::vector<Piece>();
  if (unit.size() != 2 || split.size() != 2 || split[0].text != "warps")
    return error(rest, "an instruction and a split, such as `wgmma 64x256x16, warps 8x1`,");
  Plan::Product product{id.text.str(), unit[0].text.str(), {}, {}};
  TILEWRIGHT_ASSIGN(product.shape, sizes(unit[1]));
  TILEWRIGHT_ASSIGN(product.warps, sizes(split[1]));
  if (product.shape.size() != 3)
    return error(unit[1], "rows, columns and depth of an instruction, such as `64x256x16`,");
  if (product.warps.size() != 2)
    return error(split[1], "warps by rows and columns, such as `8x1`,");
  for (Piece field : ArrayRef(fields).drop_front(2)) {
    std::vector<Piece> words = field.words();
    if (field.text == "swapped") {
      product.swapped = true;
      continue;
    }
    if (words.size() != 2 || words[1].text != "behind")
      return error(field, "`swapped` or `1 behind`");
    TILEWRIGHT_ASSIGN(product.behind, number(words[0]));
  }
  plan.products.push_back(std::move(product));
  return {};
}

Status EntryReader::readLoopField(Piece field, Plan::Loop &loop) {
  std::vector<Piece> words = field.words();
  using Step = Plan::Loop::Step;
  bool isStep = words.size() == 2 && isId(words[1].text, 'p');
  static constexpr std::pair<StringLiteral, Step::Kind> kSteps[] = {
      {"start", Step::Start}, {"await", Step::Await}, {"add", Step::Add}};
  const auto *kind =
      find_if(kSteps, [&](auto &each) { return isStep && each.first == words[0].text; });
  if (kind != std::end(kSteps)) {
    loop.order.push_back({kind->second, words[1].text.str()});
  } else if (field.text == "enter" || field.text == "leave") {
    loop.order.push_back({field.text == "enter" ? Step::Enter : Step::Leave, ""});
  } else if (words.size() == 3 && words[0].text == "late" && words[1].text == "peak") {
    // A lag of 64 leaves room in f32 for sums. Eighths can be written exactly.
    double lag;
    if (words[2].text.getAsDouble(lag) || !(lag >= 0 && lag <= 64) ||
        std::trunc(8 * lag) != 8 * lag)
      return error(words[2],
                   "by how many powers of two the peak may lag, at most 64 and in eighths,");
    loop.latePeak = lag;
  } else if (field.text == "from last") {
    loop.fromLast = true;
  } else if (field.text == "by warpgroup") {
    loop.byWarpgroup = true;
  } else if (field.text == "late sums") {
    loop.lateSums = true;
  } else if (field.text == "split masks") {
    loop.splitMasks = true;
  } else {
    return error(
        field,
        "`from last`, `late peak 8`, `late sums`, `split masks`, `by warpgroup`, `start p1`, "
        "`await p1`, `add p1`, `enter` or "
        "`leave`");
  }
  return {};
}

/// "l1: late peak 8, start p1, start p2, await p1, await p2"
Status EntryReader::readLoop(Piece entry) {
  auto [id, rest] = entry.cut(':');
  if (!isId(id.text, 'l') && id.text != Plan::kTiles)
    return error(id, "a loop such as `l1`, or `tiles`,");
  Plan::Loop loop;
  loop.id = id.text.str();
  for (Piece field : rest.split(','))
    TILEWRIGHT_TRY(readLoopField(field, loop));
  plan.loops.push_back(std::move(loop));
  return {};
}

/// "4 slots", "2 slots of 64 columns", "2 slots of 32 rows"
Status EntryReader::readChannel(Piece entry) {
  auto [id, rest] = entry.cut(':');
  if (!isId(id.text, 's') && !isId(id.text, 't') && !isId(id.text, 'e'))
    return error(id, "a stream such as `s1`, a tile such as `t1` or a store such as `e1`");
  std::vector<Piece> fields = rest.split(',');
  std::vector<Piece> with = fields.size() == 3 ? fields[2].words() : std::vector<Piece>();
  bool goesWith = with.size() == 2 && with[0].text == "with" && !isId(id.text, 't') &&
                  isId(with[1].text, id.text[0]);
  if (fields.size() != (goesWith ? 3 : 2))
    return error(rest, "a transport and a depth, such as `tma, 4 slots` or `tma, 4 slots, with "
                       "s1`,");
  auto [kind, reach] = fields[0].cut(' ');
  if (!reach.text.empty() && reach.text != "multicast")
    return error(reach, "`multicast`, or nothing,");
  Plan::Channel channel{id.text.str(),
                        kind.text.str(),
                        0,
                        0,
                        !reach.text.empty(),
                        goesWith ? with[1].text.str() : ""};
  auto [depth, part] = fields[1].text.split(" of ");
  TILEWRIGHT_ASSIGN(channel.slots, count({depth}, "slot"));
  if (counts({part}, "row")) {
    TILEWRIGHT_ASSIGN(channel.rows, count({part}, "row"));
  } else if (!part.empty()) {
    TILEWRIGHT_ASSIGN(channel.columns, count({part}, "column"));
  }
  plan.channels.push_back(std::move(channel));
  return {};
}

Status EntryReader::readEntry(StringRef section, Piece entry) {
  if (section == "when")
    return readWhen(entry);
  if (section == "tiles")
    return readTile(entry);
  if (section == "blocks")
    return readBlocks(entry);
  if (section == "roles")
    return readRole(entry);
  if (section == "products")
    return readProduct(entry);
  return section == "loops" ? readLoop(entry) : readChannel(entry);
}

} // namespace tilewright::passes
