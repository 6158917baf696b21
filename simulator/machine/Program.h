//===- Program.h - a kernel as flat code ------------------------------------------------------===//
//
// A value lives in a slot: 32 lanes of 4 bytes, one after the other; a 64-bit value takes two slots
// and is 32 lanes of 8 bytes. A register array is a run of slots. Values are held as in
// reference/Element.h (a true i1 is -1, narrow integers are sign-extended), except that narrow
// floats and packed words are held as their bits.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_PROGRAM_H
#define TILEWRIGHT_SIMULATOR_MACHINE_PROGRAM_H

#include "simulator/Machine.h"
#include "simulator/reference/Kernels.h"

namespace tilewright::simulator::machine {

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAllLanes = 0xffffffff;
/// An operand that is absent.
inline constexpr uint32_t kNoSlot = 0xffffffff;

class Warp;
struct Instruction;

/// What the run loop does next.
enum class Step : uint8_t {
  Next, // continue; a jump has set the program counter
  Wait, // try the same instruction again later
  Exit, // the warp is done
};

using Handler = Step (*)(Warp &, const Instruction &);

/// A place in a register array: the slot of element 0 and the element's index, itself a slot. An
/// element takes `stride` slots.
struct RegisterRange {
  uint32_t first = 0, size = 0; // in elements
  uint32_t index = kNoSlot;
  uint32_t stride = 1;
};

/// How a value moves between registers and memory.
struct ElementFormat {
  uint8_t bytes = 4;     // in memory, of one array element
  bool isSigned = false; // narrow integers are sign-extended
  bool isBool = false;   // a byte, any bit of which makes it true
};

struct Instruction {
  Handler run = nullptr;
  ElementKernel kernel = nullptr; // of pure elementwise instructions
  uint32_t result = kNoSlot;
  uint32_t a = kNoSlot, b = kNoSlot, c = kNoSlot, d = kNoSlot; // operands
  int64_t parameter = 0;                                       // the handler's: a width, …
  uint32_t target = 0;                                         // of a jump
  uint32_t index = 0;                                          // in the program
  Pipe pipe = Pipe::None;
  bool mayYield = false; // touches memory or synchronises: a random schedule may change warps here
  ElementFormat format;
  RegisterRange regs[3];
  mlir::Operation *op = nullptr;
};

/// A pointer argument as memory instructions use it.
struct GlobalArgument {
  Pointer pointer;
  std::string name;
  bool written = false; // some instruction writes through this argument
};

/// A tensor map argument: the axes of its boxes, outermost first, in elements.
struct TensorMapArgument {
  uint32_t global; // the pointer argument that it goes through
  llvm::SmallVector<int64_t, 5> sizes, strides;
};

/// What a TMA instruction copies.
struct Box {
  uint32_t map;
  llvm::SmallVector<int64_t, 5> shape;
  int64_t elementBytes, swizzle;
  bool tf32;                                          // loads round to it
  llvm::SmallVector<uint32_t, 5> coordinates;         // slots
  void (*add)(char *to, const char *value) = nullptr; // of a reduction
};

struct Program {
  std::vector<Instruction> code;
  /// Slots with a fixed content: the same number in every lane.
  struct Constant {
    uint32_t slot;
    bool wide;
    int64_t bits;
  };
  std::vector<Constant> constants;
  std::vector<GlobalArgument> globals;
  std::vector<TensorMapArgument> maps;
  std::vector<Box> boxes;
  uint32_t slots = 0;
  int64_t threads = 0, blocksPerSm = 1, sharedBytes = 0;
  int64_t clusterSize = 1;
  /// The narrowest access to shared memory, in bytes: every other is a multiple.
  int64_t granule = 16;
};

} // namespace tilewright::simulator::machine

#endif
