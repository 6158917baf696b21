// Parts of the program (statements, expressions) are removed, replaced by the simplest expression
// or by one of their own parts, the large ones first; then single numbers are lowered.
#include "tools/fuzz/Shrink.h"

#include <algorithm>
#include <set>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {

using Numbers = std::vector<uint32_t>;

class Shrinker {
public:
  Shrinker(const StillFails &stillFails, size_t attempts)
      : stillFails(stillFails), attempts(attempts) {}

  Numbers run(Numbers failing) {
    best = std::move(failing);
    tryNumbers(best); // for its parts
    while (attempts > 0 && (shrinkParts() | lowerNumbers())) {
    }
    return best;
  }

private:
  static bool isSimpler(const Numbers &a, const Numbers &b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }

  /// Whether the numbers fail and are simpler than the best, which they then become.
  bool tryNumbers(const Numbers &numbers) {
    if (attempts == 0 || !seen.insert(numbers).second)
      return false;
    --attempts;
    Choices choices(numbers);
    if (!stillFails(choices))
      return false;
    // What was not drawn does not matter, and what was drawn beyond the end is 0.
    Numbers taken = choices.taken();
    if (!parts.empty() && !isSimpler(taken, best))
      return false;
    best = taken;
    parts = choices.spans();
    return true;
  }

  bool tryReplacing(Span span, const Numbers &with) {
    Numbers numbers(best.begin(), best.begin() + span.begin);
    numbers.insert(numbers.end(), with.begin(), with.end());
    numbers.insert(numbers.end(), best.begin() + span.end, best.end());
    return isSimpler(numbers, best) && tryNumbers(numbers);
  }

  /// The simplest expression: a leaf, a constant, 0, without a sign.
  static inline const Numbers kLeaf = {0, 0, 0, 0};

  bool shrinkPart(Span span) {
    if (tryReplacing(span, {}) || tryReplacing(span, kLeaf))
      return true;
    std::vector<Span> all = parts;
    for (const Span &inner : all)
      if (inner.begin > span.begin && inner.end <= span.end && inner.end > inner.begin &&
          tryReplacing(span, Numbers(best.begin() + inner.begin, best.begin() + inner.end)))
        return true;
    return false;
  }

  bool shrinkParts() {
    bool changed = false;
    for (size_t i = 0; i < parts.size() && attempts > 0;) {
      if (parts[i].end > parts[i].begin && shrinkPart(parts[i]))
        changed = true; // the same place again: another part stands there now
      else
        ++i;
    }
    return changed;
  }

  bool lowerNumbers() {
    bool changed = false;
    for (size_t i = 0; i < best.size() && attempts > 0; ++i)
      for (uint32_t lower : {0u, best[i] / 2, best[i] - 1}) {
        if (i >= best.size() || lower >= best[i])
          continue;
        Numbers numbers = best;
        numbers[i] = lower;
        changed |= tryNumbers(numbers);
      }
    return changed;
  }

  const StillFails &stillFails;
  size_t attempts;
  Numbers best;
  std::vector<Span> parts; ///< Of the best.
  std::set<Numbers> seen;
};

} // namespace

std::vector<uint32_t> fuzz::shrink(std::vector<uint32_t> failing, const StillFails &stillFails,
                                   size_t attempts) {
  return Shrinker(stillFails, attempts).run(std::move(failing));
}
