#include "tools/tilewright/Trace.h"

#include "support/Files.h"

#include "mlir/IR/Location.h"

using namespace tilewright;
using namespace tilewright::cli;

int TraceFile::trackId(llvm::StringRef track) {
  auto [known, fresh] = tracks.try_emplace(track.str(), int(tracks.size()));
  if (fresh)
    events.push_back({{"ph", "M"},
                      {"pid", 0},
                      {"tid", known->second},
                      {"name", "thread_name"},
                      {"args", {{"name", known->first}}}});
  return known->second;
}

void TraceFile::slice(llvm::StringRef track, llvm::StringRef name, uint64_t begin, uint64_t end,
                      mlir::Location location) {
  nlohmann::json event = {{"ph", "X"},    {"pid", 0},    {"tid", trackId(track)},
                          {"name", name}, {"ts", begin}, {"dur", end - begin}};
  if (auto place = location->findInstanceOf<mlir::FileLineColLoc>())
    event["args"] = {{"line", place.getFilename().str() + ":" + std::to_string(place.getLine())}};
  events.push_back(std::move(event));
}

Status TraceFile::write(const std::string &path) const {
  return writeFileAtomic(path, nlohmann::json{{"traceEvents", events}}.dump());
}
