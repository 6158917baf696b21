#include "simulator/machine/Counting.h"

#include <algorithm>

namespace tilewright::simulator {

Counts &Counts::operator+=(const Counts &other) {
  instructions += other.instructions;
  sharedRequests += other.sharedRequests;
  sharedWavefronts += other.sharedWavefronts;
  sharedIdeal += other.sharedIdeal;
  sharedBytes += other.sharedBytes;
  globalRequests += other.globalRequests;
  globalSectors += other.globalSectors;
  globalBytes += other.globalBytes;
  return *this;
}

namespace machine {

static constexpr unsigned kBanks = 32;

namespace {
/// The different words that one pass touches, by bank.
struct Banks {
  uint32_t words[kBanks][kLanes];
  unsigned count[kBanks] = {};
  unsigned most = 0;

  void touch(uint32_t word) {
    unsigned bank = word % kBanks;
    for (unsigned i = 0; i < count[bank]; ++i)
      if (words[bank][i] == word)
        return;
    words[bank][count[bank]++] = word;
    most = std::max(most, count[bank]);
  }
};
} // namespace

Wavefronts wavefronts(const uint32_t *addresses, uint32_t lanes, int64_t bytes) {
  int perPass = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  int64_t words = std::max<int64_t>(1, bytes / 4);
  Wavefronts result;
  for (int first = 0; first < kLanes; first += perPass) {
    Banks banks;
    for (int lane = first; lane < first + perPass; ++lane)
      for (int64_t word = 0; (lanes >> lane & 1) && word < words; ++word)
        banks.touch(uint32_t(addresses[lane] / 4 + word));
    result.taken += banks.most;
    result.fewest += banks.most > 0;
  }
  return result;
}

unsigned countSectors(int64_t *sectors, unsigned count) {
  std::sort(sectors, sectors + count);
  return unsigned(std::unique(sectors, sectors + count) - sectors);
}

Counters Counting::summary() const {
  Counters result;
  for (const Instruction &instruction : program.code) {
    const Counts &count = counts[instruction.index];
    if (!count.instructions)
      continue;
    result.ops[instruction.op] += count;
    result.total += count;
    result.pipes[size_t(instruction.pipe)] += count.instructions;
  }
  return result;
}

} // namespace machine
} // namespace tilewright::simulator
