//===- MachineCode.h - Instructions of a kernel -----------------*- C++ -*-===//
//
// What can be told from the opcodes of machine code, without NVIDIA's disassembler: what each
// instruction does, which registers it writes, and what runs after it. Instructions have 128 bits
// since sm_70.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

inline constexpr uint64_t kInstructionBytes = 16;

/// What an instruction does, by the units of an SM; see Opcodes.def.
enum class InstructionKind : uint8_t {
#define TILEWRIGHT_INSTRUCTION_KIND(enumerator, label) enumerator,
#include "runtime/Opcodes.def"
};

inline constexpr std::string_view kInstructionKindLabels[] = {
#define TILEWRIGHT_INSTRUCTION_KIND(enumerator, label) label,
#include "runtime/Opcodes.def"
};

struct Instruction {
  uint64_t low = 0, high = 0;

  InstructionKind kind() const;

  /// One more than the highest register that it writes; 0 if it writes none.
  unsigned registersEnd() const;

  /// How many registers each thread has behind it, if it changes that (setmaxnreg); otherwise 0.
  unsigned takenRegisters() const;

  /// The low 12 bits, with the kinds of its operands.
  unsigned opcode() const { return low & 0xfff; }

  /// False if it is for some threads only, by a predicate.
  bool isUnconditional() const { return (low >> 12 & 0xf) == 7; }
};

/// Decodes the code of a kernel (its `.text` section).
std::vector<Instruction> decode(std::string_view code);

/// For each instruction, those that can run next. Nothing if some branch makes no sense to us.
std::optional<std::vector<std::vector<size_t>>>
controlFlow(const std::vector<Instruction> &instructions);

} // namespace tilewright::runtime
