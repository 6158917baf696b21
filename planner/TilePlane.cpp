#include "planner/TilePlane.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::planner;

/// Calls `visit` with each number of a model that may depend on tiles, in a fixed order.
template <typename Visit> static void visitNumbers(KernelModel &model, Visit visit) {
  auto visitExpr = [&](runtime::Expr &expr) {
    expr.forEachConstant([&](runtime::ExprValue &constant) {
      if (auto *number = std::get_if<int64_t>(&constant))
        visit(*number);
    });
  };
  auto visitWork = [&](Work &work) {
    visit(work.multiplies);
    visit(work.specials);
    visit(work.conversions);
  };
  for (passes::Plan::Tile &tile : model.tiles)
    visit(tile.extent);
  for (runtime::Expr &extent : model.grid)
    visitExpr(extent);
  for (StreamModel &stream : model.streams) {
    for (int64_t &extent : stream.shape)
      visit(extent);
    for (auto *expr : {&stream.pitch, &stream.rowsLeft})
      if (*expr)
        visitExpr(**expr);
  }
  for (ComputedModel &tile : model.computed)
    visit(tile.bytes);
  for (ProductModel &product : model.products)
    for (int64_t *extent : {&product.m, &product.n, &product.k})
      visit(*extent);
  for (LoopModel &loop : model.loops) {
    visitWork(loop.work);
    if (loop.trips)
      visitExpr(*loop.trips);
    if (loop.firstRow)
      visitExpr(*loop.firstRow);
    visit(loop.rows);
  }
  for (EndModel &end : model.ends) {
    for (int64_t *extent : {&end.rows, &end.columns})
      visit(*extent);
    if (end.pitch)
      visitExpr(*end.pitch);
  }
  visitWork(model.work);
}

std::optional<TilePlane> TilePlane::through(const Corners &corners, Pair rows, Pair columns) {
  TilePlane plane;
  plane.rows = rows;
  plane.columns = columns;
  for (size_t row : {0, 1})
    for (size_t column : {0, 1}) {
      KernelModel form = corners[row][column];
      visitNumbers(form, [&](auto &number) {
        plane.numbers[row][column].push_back(double(number));
        number = 0;
      });
      if (row + column == 0)
        plane.form = std::move(form);
      else if (form != plane.form)
        return std::nullopt;
    }
  return plane;
}

KernelModel TilePlane::at(int64_t row, int64_t column) const {
  double down = double(row - rows[0]) / double(rows[1] - rows[0]);
  double across = double(column - columns[0]) / double(columns[1] - columns[0]);
  auto between = [](double from, double to, double part) { return from + (to - from) * part; };
  KernelModel model = form;
  size_t next = 0;
  visitNumbers(model, [&](auto &number) {
    double low = between(numbers[0][0][next], numbers[0][1][next], across);
    double high = between(numbers[1][0][next], numbers[1][1][next], across);
    ++next;
    number = static_cast<std::decay_t<decltype(number)>>(std::round(between(low, high, down)));
  });
  return model;
}
