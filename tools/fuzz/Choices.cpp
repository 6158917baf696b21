#include "tools/fuzz/Choices.h"

#include <numeric>

using namespace tilewright::fuzz;

template <typename Draw> uint32_t Choices::take(uint32_t bound, Draw drawn) {
  uint32_t value = 0;
  if (isRandom)
    value = drawn();
  else if (made.size() < replay.size())
    value = replay[made.size()] % bound;
  made.push_back(value);
  return value;
}

uint32_t Choices::below(uint32_t bound) {
  // Not a std distribution: those differ between libraries.
  return take(bound, [&] { return uint32_t(random() % bound); });
}

bool Choices::chance(unsigned percent) {
  return take(2, [&] { return uint32_t(random() % 100 < percent); });
}

size_t Choices::weighted(const std::vector<unsigned> &weights) {
  unsigned total = std::accumulate(weights.begin(), weights.end(), 0u);
  uint32_t index = take(uint32_t(weights.size()), [&] {
    uint64_t rest = random() % std::max(1u, total);
    uint32_t at = 0;
    while (at + 1 < weights.size() && rest >= weights[at])
      rest -= weights[at++];
    return at;
  });
  // A replayed index may not apply here: take the next that does.
  for (size_t step = 0; step < weights.size(); ++step)
    if (size_t at = (index + step) % weights.size(); weights[at])
      return at;
  return index;
}
