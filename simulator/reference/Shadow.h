//===- Shadow.h - who touched each element of a buffer ----------------------------------------===//
//
// For every element the lowest and the highest program that wrote, read or atomically updated it.
// These are enough to tell whether two programs met there, and unlike "the last one" they do not
// depend on the order in which threads ran the programs, so a report is the same on every run.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_SHADOW_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_SHADOW_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace tilewright::simulator {

enum class Touch : uint8_t { Write, Read, Update };

/// Two programs that touched one element, at least one of them by writing.
struct Conflict {
  int64_t element;
  uint32_t firstProgram, secondProgram;
  Touch first, second;
};

class Shadow {
public:
  Shadow(int64_t elements, bool writes, bool reads, bool updates);

  /// Notes that a program touched `count` elements from `element`, `stride` apart.
  void record(Touch touch, uint32_t program, int64_t element, int64_t stride, int64_t count);
  bool isWrittenBy(uint32_t program, int64_t element) const;
  /// The conflict at the lowest element.
  std::optional<Conflict> findConflict() const;

private:
  struct Range {
    std::atomic<uint32_t> lowest{UINT32_MAX}, highest{0}; // of program + 1
    void add(uint32_t id);
    bool isEdge(uint32_t id) const;
  };
  static std::optional<Conflict> meet(int64_t element, const Range *a, Touch first, const Range *b,
                                      Touch second);

  int64_t elements;
  std::unique_ptr<Range[]> ranges[3]; // by Touch; null where nothing can happen
};

} // namespace tilewright::simulator

#endif
