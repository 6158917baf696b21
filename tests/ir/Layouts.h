//===- Layouts.h - what tests of layouts look at ----------------------------------------------===//
#ifndef TILEWRIGHT_TESTS_IR_LAYOUTS_H
#define TILEWRIGHT_TESTS_IR_LAYOUTS_H

#include "ir/Layout.h"

namespace tilewright {

/// Calls `visit(register, lane, warp)` for every place of a layout.
template <typename Visit> void forEachPlace(const Layout &layout, Visit visit) {
  for (int64_t warp = 0; warp < layout.warps(); ++warp)
    for (int64_t lane = 0; lane < layout.count(Level::Lane); ++lane)
      for (int64_t reg = 0; reg < layout.registers(); ++reg)
        visit(reg, lane, warp);
}

/// Calls `visit(m, n)` for the splits of `warps` warps along m and n, all of them or with some left
/// over.
template <typename Visit> void forEachSplit(int64_t warps, Visit visit) {
  for (int64_t m = 1; m <= warps; m *= 2)
    for (int64_t n = 1; m * n <= warps; n *= 2)
      visit(m, n);
}

/// How many threads hold each element: the product of the replica digits.
int64_t replicas(const Layout &layout);

/// A test failure unless these are the layout's digits of a level, in canonical form.
void expectDigits(const Layout &layout, Level level, const Digits &expected);

/// A test failure unless it is a layout of `warps` warps that holds every element of `shape` once,
/// apart from its replicas.
void expectHoldsOnce(const Layout &layout, llvm::ArrayRef<int64_t> shape, int64_t warps);

} // namespace tilewright

#endif
