//===- Models.h - kernels as the planner sees them, by hand -----------------------------------===//
#ifndef TILEWRIGHT_TESTS_PLANNER_MODELS_H
#define TILEWRIGHT_TESTS_PLANNER_MODELS_H

#include "planner/Planner.h"

namespace tilewright::planner {

/// c[M, N] = a b^T in 16 bits, in tiles of these extents.
inline KernelModel productModel(int64_t rows, int64_t columns, int64_t depth = 64) {
  auto expr = [](const std::string &text) { return *runtime::Expr::parse(text); };
  auto tiles = [&](const char *size, int64_t extent) {
    return expr("cdiv(" + std::string(size) + ", " + std::to_string(extent) + ")");
  };
  KernelModel model;
  model.kernel = "product";
  model.tiles = {{"BM", rows}, {"BN", columns}, {"BK", depth}};
  model.grid = {tiles("M", rows), tiles("N", columns)};
  model.streams = {{.id = "s1",
                    .shape = {rows, depth},
                    .elementBytes = 2,
                    .loop = 0,
                    .alike = {1},
                    .isOperand = true,
                    .pitch = expr("K")},
                   {.id = "s2",
                    .shape = {columns, depth},
                    .elementBytes = 2,
                    .loop = 0,
                    .alike = {0},
                    .isOperand = true,
                    .pitch = expr("K")}};
  model.products = {
      {.id = "p1", .m = rows, .n = columns, .k = depth, .bits = 16, .loop = 0, .isPending = true}};
  model.loops = {{.id = "l1", .trips = tiles("K", depth), .carriesSums = true, .anyOrder = true}};
  model.ends = {
      {.id = "e1", .rows = rows, .columns = columns, .elementBytes = 2, .pitch = expr("N")}};
  return model;
}

inline Launch launchOf(std::map<std::string, int64_t> sizes, int64_t processors = 0) {
  auto valueOf =
      [sizes = std::move(sizes)](std::string_view name) -> std::optional<runtime::ExprValue> {
    auto size = sizes.find(std::string(name));
    return size == sizes.end() ? std::nullopt : std::optional<runtime::ExprValue>(size->second);
  };
  return {valueOf, processors};
}

} // namespace tilewright::planner

#endif
