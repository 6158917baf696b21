//===- Moves.h - elements between registers and memory ----------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_MOVES_H
#define TILEWRIGHT_SIMULATOR_MACHINE_MOVES_H

#include "simulator/machine/Warp.h"

#include <cstring>

namespace tilewright::simulator::machine {

/// Array elements of one lane, from slot `first` on, as memory holds them.
class LaneElements {
public:
  LaneElements(Warp &warp, uint32_t first, const RegisterRange &range, ElementFormat format,
               int64_t count)
      : warp(warp), first(first), stride(range.stride), format(format), count(count) {}

  /// Reads memory into the registers; `poison` (per byte, may be null) makes them undefined.
  void load(int lane, const char *from, const uint8_t *poison) {
    for (int64_t i = 0; i < count; ++i, from += format.bytes) {
      uint32_t slot = first + uint32_t(i) * stride;
      bool undefined = poison && std::memchr(poison + i * format.bytes, 1, format.bytes);
      warp.undefined(slot) = (warp.undefined(slot) & ~(1u << lane)) | uint32_t(undefined) << lane;
      if (format.bytes == 8)
        std::memcpy(&warp.lanes<int64_t>(slot)[lane], from, 8);
      else
        warp.lanes<uint32_t>(slot)[lane] = widen(from);
    }
  }

  /// The registers as memory will hold them.
  void store(int lane, char *to) {
    for (int64_t i = 0; i < count; ++i, to += format.bytes) {
      uint32_t slot = first + uint32_t(i) * stride;
      const char *value = format.bytes == 8
                              ? reinterpret_cast<char *>(&warp.lanes<int64_t>(slot)[lane])
                              : reinterpret_cast<char *>(&warp.lanes<uint32_t>(slot)[lane]);
      std::memcpy(to, value, format.bytes);
      if (format.isBool)
        *to = *value != 0;
    }
  }

  /// Marks in `poison` which bytes come from undefined registers; true if any do.
  bool storePoison(int lane, uint8_t *poison) {
    bool any = false;
    for (int64_t i = 0; i < count; ++i) {
      uint8_t undefined = warp.undefined(first + uint32_t(i) * stride) >> lane & 1;
      std::memset(poison + i * format.bytes, undefined, format.bytes);
      any |= undefined;
    }
    return any;
  }

private:
  uint32_t widen(const char *from) const {
    uint32_t word = 0;
    std::memcpy(&word, from, format.bytes);
    if (format.isBool)
      return word ? ~0u : 0;
    int unused = 32 - 8 * format.bytes;
    return format.isSigned ? uint32_t(int32_t(word << unused) >> unused) : word;
  }

  Warp &warp;
  uint32_t first, stride;
  ElementFormat format;
  int64_t count;
};

/// The widest access of a lane.
inline constexpr int kMostBytes = 16;

/// An integer operand in a lane, of 32 or 64 bits.
inline int64_t integerAt(Warp &warp, uint32_t slot, bool wide, int lane) {
  return wide ? warp.lanes<int64_t>(slot)[lane] : warp.lanes<int32_t>(slot)[lane];
}

} // namespace tilewright::simulator::machine

#endif
