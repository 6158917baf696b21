//===- Trace.h - a simulated run as a timeline ------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TRACE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TRACE_H

#include "simulator/Machine.h"
#include "support/ErrorOr.h"

#include <map>

namespace tilewright::cli {

/// Collects a run in the trace event format that Perfetto and chrome://tracing open: one thread per
/// warp and per asynchronous engine. A microsecond is one warp instruction, so that slices are as
/// long as what they did, not as what it takes on a GPU. Slices of a thread must not overlap; where
/// those of an engine do, it gets several.
class TraceFile : public simulator::TraceSink {
public:
  void slice(llvm::StringRef track, llvm::StringRef name, uint64_t begin, uint64_t end,
             mlir::Location location) override;
  Status write(const std::string &path) const;

private:
  struct Slice {
    uint64_t begin, end;
    std::string name, line;
  };
  std::map<std::string, std::vector<Slice>, std::less<>> tracks;
};

} // namespace tilewright::cli

#endif
