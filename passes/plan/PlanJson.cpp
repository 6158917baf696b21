// A plan as JSON: an object for each struct of Plan.h, with its fields in the order of the text.
#include "passes/plan/Plan.h"

#include "llvm/Support/JSON.h"

namespace tilewright::passes {

using namespace llvm;

static json::Object jsonOf(const Plan::Tile &tile) {
  return json::Object{{"parameter", tile.parameter}, {"extent", tile.extent}};
}

static json::Object jsonOf(const Plan::Parts &parts) {
  return json::Object{{"axis", parts.axis}, {"count", parts.count}};
}

static json::Object jsonOf(const Plan::Blocks &blocks) {
  return json::Object{{"per_sm", blocks.perSm},          {"cluster", json::Array(blocks.cluster)},
                      {"turns", blocks.turns},           {"split_loop", blocks.splitLoop},
                      {"least", blocks.least},           {"axes", json::Array(blocks.axes)},
                      {"grouped", blocks.grouped},       {"folded", blocks.folded},
                      {"descending", blocks.descending}, {"queue", blocks.queue}};
}

static json::Object jsonOf(const Plan::Role &role) {
  json::Object result{{"name", role.name},
                      {"warps", role.warps},
                      {"streams", json::Array(role.streams)},
                      {"tiles", json::Array(role.tiles)}};
  if (role.registers)
    result["registers"] = *role.registers;
  return result;
}

static json::Object jsonOf(const Plan::Product &product) {
  return json::Object{{"id", product.id},
                      {"unit", product.unit},
                      {"shape", json::Array(product.shape)},
                      {"warps", json::Array(product.warps)},
                      {"behind", product.behind},
                      {"swapped", product.swapped}};
}

static json::Object jsonOf(const Plan::Loop &loop) {
  static constexpr StringLiteral kKinds[] = {"start", "await", "enter", "leave", "add"};
  json::Array order;
  for (const Plan::Loop::Step &step : loop.order)
    order.push_back(json::Object{{"step", kKinds[step.kind]}, {"product", step.product}});
  json::Object result{{"id", loop.id},
                      {"from_last", loop.fromLast},
                      {"late_sums", loop.lateSums},
                      {"split_masks", loop.splitMasks},
                      {"by_warpgroup", loop.byWarpgroup},
                      {"order", std::move(order)}};
  if (loop.latePeak)
    result["late_peak"] = *loop.latePeak;
  return result;
}

static json::Object jsonOf(const Plan::Channel &channel) {
  return json::Object{
      {"id", channel.id},           {"kind", channel.kind},           {"slots", channel.slots},
      {"columns", channel.columns}, {"multicast", channel.multicast}, {"with", channel.with},
      {"rows", channel.rows}};
}

json::Object Plan::json() const {
  auto list = [](const auto &entries) {
    json::Array array;
    for (const auto &entry : entries)
      array.push_back(jsonOf(entry));
    return array;
  };
  json::Object result{{"version", kVersion},
                      {"kernel", kernel},
                      {"target", target},
                      {"positive", json::Array(positive)},
                      {"tiles", list(tiles)},
                      {"programs", list(programs)},
                      {"depth", depth},
                      {"parts", list(parts)},
                      {"blocks", jsonOf(blocks)},
                      {"roles", list(roles)},
                      {"products", list(products)},
                      {"loops", list(loops)},
                      {"channels", list(channels)}};
  if (facts)
    result["facts"] = *facts;
  return result;
}

} // namespace tilewright::passes
