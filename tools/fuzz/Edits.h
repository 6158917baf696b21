//===- Edits.h - a program of the cta level as someone might change it ------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_EDITS_H
#define TILEWRIGHT_TOOLS_FUZZ_EDITS_H

#include <string>
#include <vector>

namespace tilewright::fuzz {

struct Edit {
  std::string what; ///< "line 12: `<4 x` is now `<1 x`"
  std::string text; ///< Of the whole program.
};

/// Each a program with one thing changed, sensibly or not: depths of rings, tile sizes, warps with
/// and without the rows that go with them, registers, instructions, clusters, the kind of a
/// channel; an op left out, or two that stand together the other way round.
std::vector<Edit> editsOf(const std::string &text);

} // namespace tilewright::fuzz

#endif
