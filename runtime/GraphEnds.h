//===- GraphEnds.h - When captured graphs are gone --------------*- C++ -*-===//
//
// Memory that a captured launch uses belongs to its graph until nothing can replay it: the graph,
// its copies and all that was instantiated of them are destroyed and run no more. The driver tells
// so, by an object that such graphs hold together, on a thread of its own in which it must not be
// called.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/StreamKey.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::runtime {

/// Collects the keys of captured launches whose graphs are gone. Thread-safe.
class GraphEnds {
public:
  /// Has the end of the graph told that the stream is being captured into; `key` is of a launch on
  /// it. A driver that cannot tell makes the graph last for ever.
  void watch(const Driver &driver, Stream stream, const StreamKey &key);

  /// The keys whose graphs went since the last call.
  std::vector<StreamKey> take();

private:
  struct Gone {
    std::mutex mutex;
    std::vector<StreamKey> keys;
  };
  struct Token;

  std::shared_ptr<Gone> gone = std::make_shared<Gone>(); ///< Graphs may outlive this object.
};

} // namespace tilewright::runtime
