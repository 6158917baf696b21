//===- Philox.h - random numbers by counting --------------------------------------------------===//
//
// Philox4x32-7 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011):
// four numbers of 32 bits that follow from a counter of 128 bits and a key of 64 alone. Seven
// rounds pass all tests of BigCrush; the paper's ten have three to spare.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SUPPORT_PHILOX_H
#define TILEWRIGHT_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace tilewright {

inline constexpr int kPhiloxRounds = 7;
/// By which the counter's first and third number are multiplied in each round.
inline constexpr std::array<uint32_t, 2> kPhiloxFactors = {0xD2511F53, 0xCD9E8D57};
/// By which the key grows from round to round.
inline constexpr std::array<uint32_t, 2> kPhiloxSteps = {0x9E3779B9, 0xBB67AE85};

inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    uint64_t first = uint64_t(kPhiloxFactors[0]) * counter[0];
    uint64_t second = uint64_t(kPhiloxFactors[1]) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key = {key[0] + kPhiloxSteps[0], key[1] + kPhiloxSteps[1]};
  }
  return counter;
}

} // namespace tilewright

#endif
