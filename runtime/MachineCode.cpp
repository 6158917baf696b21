//===- MachineCode.cpp - Instructions of a kernel -------------------------===//

#include "runtime/MachineCode.h"

#include <cstring>

namespace tilewright::runtime {

namespace {

/// How many registers an instruction writes, from the one that bits 16 to 23 name.
enum class InstructionWrites : uint8_t {
  None,
  One,
  Two,
  Four,
  Sized,        ///< What it loads; bits 73 to 75 say how much.
  Accumulators, ///< Half as many as the product has columns; bits 53 to 57 count them in eights.
};

struct Opcode {
  unsigned bits;
  InstructionKind kind;
  InstructionWrites writes;
};

constexpr Opcode kOpcodes[] = {
#define TILEWRIGHT_OPCODE(mnemonic, bits, kind, writes)                                            \
  {bits, InstructionKind::kind, InstructionWrites::writes},
#include "runtime/Opcodes.def"
};

/// Bits `first` to `first + count - 1` of an instruction's half.
uint64_t field(uint64_t half, unsigned first, unsigned count) {
  return half >> first & ((uint64_t(1) << count) - 1);
}

const Opcode &opcodeOf(const Instruction &instruction) {
  static constexpr Opcode kUnknown{0, InstructionKind::Other, InstructionWrites::None};
  for (const Opcode &opcode : kOpcodes)
    if (opcode.bits == field(instruction.low, 0, 9))
      return opcode;
  return kUnknown;
}

/// Gives a warpgroup another number of registers, which bits 32 to 39 name.
constexpr unsigned kTakeRegisters = 0x9c8;

/// Control flow, as the low 12 bits have it. Threads that part at a branch meet again at `Sync`,
/// which goes where the last `Meet` with its barrier said.
enum ControlOpcode : unsigned { kBranch = 0x947, kExit = 0x94d, kMeet = 0x945, kSync = 0x941 };

/// How far from the next instruction a branch goes, in units of 4 bytes. Bits 34 and up; from sm_90
/// on the low 8 bits of a branch's come first, from bit 16.
int64_t distance(const Instruction &branch, bool splitField) {
  int64_t upper = static_cast<int64_t>((branch.low >> 34 | branch.high << 30) << 16) >> 16;
  return splitField ? upper * 256 + static_cast<int64_t>(field(branch.low, 16, 8)) : upper;
}

/// The graph of control flow, with branches read one way; nothing if that makes no sense.
class FlowBuilder {
public:
  FlowBuilder(const std::vector<Instruction> &code, bool splitField)
      : code(code), splitField(splitField), next(code.size()) {}

  std::optional<std::vector<std::vector<size_t>>> run() {
    for (size_t at = 0; at < code.size(); ++at)
      if (!add(at))
        return std::nullopt;
    return std::move(next);
  }

private:
  /// Adds what comes after an instruction.
  bool add(size_t at) {
    const Instruction &instruction = code[at];
    unsigned opcode = instruction.opcode();
    uint64_t barrier = field(instruction.low, 16, 4);
    if (opcode == kMeet) {
      std::optional<size_t> target = targetOf(at, /*split=*/false);
      if (!target)
        return false;
      meetings[barrier] = *target;
    }
    if (opcode == kBranch) {
      std::optional<size_t> target = targetOf(at, splitField);
      if (!target)
        return false;
      next[at].push_back(*target);
    } else if (opcode == kSync) {
      next[at].push_back(meetings[barrier]);
    }
    bool leaves = opcode == kBranch || opcode == kExit || opcode == kSync;
    if (at + 1 < code.size() && !(leaves && instruction.isUnconditional()))
      next[at].push_back(at + 1);
    return true;
  }

  std::optional<size_t> targetOf(size_t at, bool split) const {
    int64_t units = distance(code[at], split), target = static_cast<int64_t>(at) + 1 + units / 4;
    if (units % 4 != 0 || target < 0 || target >= static_cast<int64_t>(code.size()))
      return std::nullopt;
    return static_cast<size_t>(target);
  }

  const std::vector<Instruction> &code;
  bool splitField;
  size_t meetings[16] = {}; // by barrier
  std::vector<std::vector<size_t>> next;
};

} // namespace

InstructionKind Instruction::kind() const { return opcodeOf(*this).kind; }

unsigned Instruction::takenRegisters() const {
  return opcode() == kTakeRegisters ? static_cast<unsigned>(field(low, 32, 8)) : 0;
}

unsigned Instruction::registersEnd() const {
  constexpr unsigned kZero = 255; // what is written there is dropped
  auto first = static_cast<unsigned>(field(low, 16, 8));
  if (first == kZero)
    return 0;
  switch (opcodeOf(*this).writes) {
  case InstructionWrites::None:
    return 0;
  case InstructionWrites::One:
    return first + 1;
  case InstructionWrites::Two:
    return first + 2;
  case InstructionWrites::Four:
    return first + 4;
  case InstructionWrites::Sized: {
    uint64_t size = field(high, 9, 3); // 8 and 16 bits signed or not, 32, 64, 128
    return first + (size == 6 ? 4 : size == 5 ? 2 : 1);
  }
  case InstructionWrites::Accumulators:
    return first + (static_cast<unsigned>(field(low, 53, 5)) + 1) * 4;
  }
  return 0;
}

std::vector<Instruction> decode(std::string_view code) {
  std::vector<Instruction> result(code.size() / kInstructionBytes);
  if (!result.empty()) // no code may be at no address
    std::memcpy(result.data(), code.data(), result.size() * kInstructionBytes);
  return result;
}

std::optional<std::vector<std::vector<size_t>>>
controlFlow(const std::vector<Instruction> &instructions) {
  auto flow = FlowBuilder(instructions, /*splitField=*/false).run();
  return flow ? flow : FlowBuilder(instructions, /*splitField=*/true).run();
}

} // namespace tilewright::runtime
