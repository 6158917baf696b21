//===- LoopScan.cpp - Local memory in the loops of machine code -----------===//

#include "runtime/LoopScan.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace tilewright::runtime {

namespace {

/// The low 12 bits of an instruction, as the disassembler names them.
enum Opcode : unsigned {
  kImma = 0x237,
  kHmma = 0x23c,
  kQmma = 0x27a,
  kStoreLocal = 0x387,
  kBranch = 0x947,
  kLoadLocal = 0x983,
};

struct Instruction {
  uint64_t low, high;
  unsigned opcode() const { return low & 0xfff; }
  bool isProduct() const { return opcode() == kHmma || opcode() == kImma || opcode() == kQmma; }
  bool isLocal() const { return opcode() == kStoreLocal || opcode() == kLoadLocal; }

  /// A branch's distance from the next instruction, in units of 4 bytes. Bits 34 and up; from sm_90
  /// on its low 8 bits come first, from bit 16.
  int64_t distance(bool splitField) const {
    int64_t upper = static_cast<int64_t>((low >> 34 | high << 30) << 16) >> 16;
    return splitField ? upper * 256 + (low >> 16 & 0xff) : upper;
  }
};

struct Loop {
  size_t first, last;
};

/// The backward branches, read one way; nothing if that way makes no sense of some branch.
std::optional<std::vector<Loop>> loops(const std::vector<Instruction> &code, bool splitField) {
  std::vector<Loop> found;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].opcode() != kBranch)
      continue;
    int64_t distance = code[i].distance(splitField);
    int64_t target = static_cast<int64_t>(i) + 1 + distance / 4;
    if (distance % 4 != 0 || target < 0 || target > static_cast<int64_t>(code.size()))
      return std::nullopt;
    if (target < static_cast<int64_t>(i))
      found.push_back({static_cast<size_t>(target), i});
  }
  return found;
}

} // namespace

ProductLoops scanLoops(std::string_view bytes) {
  std::vector<Instruction> code(bytes.size() / sizeof(Instruction));
  std::memcpy(code.data(), bytes.data(), code.size() * sizeof(Instruction));
  ProductLoops result;
  for (const Instruction &instruction : code)
    result.multiplies |= instruction.isProduct();

  std::optional<std::vector<Loop>> found = loops(code, false);
  if (!found)
    found = loops(code, true);
  if (!found)
    return result;
  std::vector<bool> counted(code.size());
  for (Loop loop : *found) {
    bool multiplies = false;
    for (size_t i = loop.first; i <= loop.last; ++i)
      multiplies |= code[i].isProduct();
    if (!multiplies)
      continue;
    result.found = true;
    for (size_t i = loop.first; i <= loop.last; ++i)
      if (code[i].isLocal() && !counted[i]) {
        counted[i] = true;
        ++result.localAccesses;
      }
  }
  return result;
}

} // namespace tilewright::runtime
