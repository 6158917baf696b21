//===- StreamKey.h - Which launches cannot run at once ----------*- C++ -*-===//

#pragma once

#include "runtime/Driver.h"

#include <compare>

namespace tilewright::runtime {

/// Launches with equal keys run one after the other, so they may share memory.
struct StreamKey {
  uint64_t graph = 0; ///< Not 0 while the stream is captured: then it stands for the graph.
  uint64_t stream = 0;

  auto operator<=>(const StreamKey &) const = default;
};

/// The key of a launch on a stream of the current context.
StreamKey keyOf(const Driver &driver, Stream stream);

} // namespace tilewright::runtime
