#include "tools/tilewright/Trace.h"

#include "support/Files.h"

#include "mlir/IR/Location.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace tilewright;
using namespace tilewright::cli;
using nlohmann::json;

void TraceFile::slice(llvm::StringRef track, llvm::StringRef name, uint64_t begin, uint64_t end,
                      mlir::Location location) {
  std::string line;
  if (auto place = location->findInstanceOf<mlir::FileLineColLoc>())
    line = fmt::format("{}:{}", place.getFilename().str(), place.getLine());
  tracks[track.str()].push_back({begin, end, name.str(), std::move(line)});
}

Status TraceFile::write(const std::string &path) const {
  json events = json::array();
  int threads = 0;
  for (const auto &[track, unsorted] : tracks) {
    std::vector<Slice> slices = unsorted;
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Slice &a, const Slice &b) { return a.begin < b.begin; });
    std::vector<uint64_t> ends; // of each thread of the track
    for (const Slice &slice : slices) {
      auto free =
          std::find_if(ends.begin(), ends.end(), [&](uint64_t end) { return end <= slice.begin; });
      int number = int(free - ends.begin()), thread = threads + number;
      if (free == ends.end()) {
        free = ends.insert(free, 0);
        std::string name = number ? fmt::format("{} ({})", track, number + 1) : track;
        events.push_back({{"ph", "M"},
                          {"pid", 0},
                          {"tid", thread},
                          {"name", "thread_name"},
                          {"args", {{"name", name}}}});
      }
      *free = slice.end;
      events.push_back({{"ph", "X"},
                        {"pid", 0},
                        {"tid", thread},
                        {"name", slice.name},
                        {"ts", slice.begin},
                        {"dur", slice.end - slice.begin},
                        {"args", {{"line", slice.line}}}});
    }
    threads += int(ends.size());
  }
  return writeFileAtomic(path, json{{"traceEvents", events}}.dump());
}
