#include "passes/plan/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright::passes {

using namespace llvm;

const Plan::Channel *Plan::channelOf(StringRef id) const {
  auto found = find_if(channels, [&](const Channel &channel) { return channel.id == id; });
  return found == channels.end() ? nullptr : &*found;
}

const Plan::Product *Plan::productOf(StringRef id) const {
  auto found = find_if(products, [&](const Product &product) { return product.id == id; });
  return found == products.end() ? nullptr : &*found;
}

const Plan::Loop *Plan::loopOf(StringRef id) const {
  auto found = find_if(loops, [&](const Loop &loop) { return loop.id == id; });
  return found == loops.end() ? nullptr : &*found;
}

const Plan::Role *Plan::loaderOf(StringRef stream) const {
  auto found =
      find_if(roles, [&](const Role &role) { return is_contained(role.streams, stream.str()); });
  return found == roles.end() ? nullptr : &*found;
}

const Plan::Role *Plan::makerOf(StringRef tile) const {
  auto found =
      find_if(roles, [&](const Role &role) { return is_contained(role.tiles, tile.str()); });
  return found == roles.end() ? nullptr : &*found;
}

bool Plan::Loop::addsLate(StringRef product) const {
  auto at = [&](Step::Kind kind) { return find(order, Step{kind, product.str()}); };
  return at(Step::Add) != order.end() && at(Step::Add) < at(Step::Await);
}

//===- As text --------------------------------------------------------------------------------===//

static std::string counted(int64_t number, StringRef of) {
  return (Twine(number) + " " + of + (number == 1 ? "" : "s")).str();
}

static std::string sizesOf(ArrayRef<int64_t> sizes) {
  return join(map_range(sizes, [](int64_t size) { return std::to_string(size); }), "x");
}

static std::string textOf(const Plan::Blocks &blocks) {
  std::string text = blocks.perSm ? std::to_string(blocks.perSm) + " per SM" : "one per tile";
  for (auto [at, along] : enumerate(blocks.cluster))
    text += (at ? " x " : ", clusters of ") + std::to_string(along);
  if (blocks.turns)
    text += ", " + std::to_string(blocks.turns) + " in turns";
  if (blocks.least)
    text += ", split " + blocks.splitLoop + " least " + std::to_string(blocks.least);
  for (auto [at, axis] : enumerate(blocks.axes))
    text += (at ? " " : ", axes ") + std::to_string(axis);
  if (blocks.grouped)
    text += ", grouped " + std::to_string(blocks.grouped);
  return text + (blocks.folded ? ", folded" : "") + (blocks.descending ? ", descending" : "") +
         (blocks.queue ? ", queue" : "");
}

static std::string textOf(const Plan::Role &role) {
  std::string text = role.name + ": " + counted(role.warps, "warp");
  if (role.registers)
    text += ", " + counted(*role.registers, "register");
  for (const auto *ids : {&role.streams, &role.tiles})
    for (const std::string &id : *ids)
      text += ", " + id;
  return text;
}

static std::string textOf(const Plan::Product &product) {
  return product.id + ": " + product.unit + " " + sizesOf(product.shape) + ", warps " +
         sizesOf(product.warps) + (product.swapped ? ", swapped" : "") +
         (product.behind ? ", " + std::to_string(product.behind) + " behind" : "");
}

static std::string textOf(const Plan::Loop::Step &step) {
  using Step = Plan::Loop::Step;
  if (step.product.empty())
    return step.kind == Step::Enter ? "enter" : "leave";
  StringRef verb = step.kind == Step::Add ? "add " : step.kind == Step::Await ? "await " : "start ";
  return (verb + step.product).str();
}

static std::string textOf(const Plan::Loop &loop) {
  std::vector<std::string> fields;
  if (loop.fromLast)
    fields.push_back("from last");
  if (loop.latePeak) {
    raw_string_ostream text(fields.emplace_back("late peak "));
    text << format("%g", *loop.latePeak);
  }
  if (loop.lateSums)
    fields.push_back("late sums");
  if (loop.splitMasks)
    fields.push_back("split masks");
  if (loop.byWarpgroup)
    fields.push_back("by warpgroup");
  for (const Plan::Loop::Step &step : loop.order)
    fields.push_back(textOf(step));
  return loop.id + ": " + join(fields, ", ");
}

static std::string textOf(const std::string &positive) { return positive + " > 0"; }

static std::string textOf(const Plan::Channel &channel) {
  std::string part = channel.columns ? " of " + counted(channel.columns, "column")
                     : channel.rows  ? " of " + counted(channel.rows, "row")
                                     : "";
  return channel.id + ": " + channel.kind + (channel.multicast ? " multicast" : "") + ", " +
         counted(channel.slots, "slot") + part +
         (channel.with.empty() ? "" : ", with " + channel.with);
}

static std::string textOf(const Plan::Tile &tile) {
  return tile.parameter + " " + std::to_string(tile.extent);
}

static std::string textOf(const Plan::Parts &parts) {
  return parts.axis + " in " + counted(parts.count, "part");
}

static std::string textOfPrograms(const Plan::Parts &programs) {
  return programs.axis + " of " + counted(programs.count, "program");
}

template <typename Entry> static std::vector<std::string> textsOf(ArrayRef<Entry> entries) {
  std::vector<std::string> texts;
  for (const Entry &entry : entries)
    texts.push_back(textOf(entry));
  return texts;
}

std::string Plan::str() const {
  std::string text = "plan " + std::to_string(kVersion) + " of " + kernel + " for " + target +
                     (facts ? ", facts " + *facts : "") + "\n";
  auto section = [&](StringRef name, const std::vector<std::string> &entries, StringRef separator) {
    if (!entries.empty())
      text += ("  " + name + std::string(10 - name.size(), ' ') + join(entries, separator) + "\n")
                  .str();
  };
  std::vector<std::string> extents = textsOf(ArrayRef(tiles));
  append_range(extents, map_range(programs, textOfPrograms));
  if (depth)
    extents.push_back("depth of " + std::to_string(depth));
  append_range(extents, textsOf(ArrayRef(parts)));
  section("when", textsOf(ArrayRef(positive)), ", ");
  section("tiles", extents, ", ");
  section("blocks", {textOf(blocks)}, ", ");
  section("roles", textsOf(ArrayRef(roles)), "; ");
  section("products", textsOf(ArrayRef(products)), "; ");
  section("loops", textsOf(ArrayRef(loops)), "; ");
  section("channels", textsOf(ArrayRef(channels)), "; ");
  return text;
}

} // namespace tilewright::passes
