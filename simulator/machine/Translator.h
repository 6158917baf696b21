//===- Translator.h - from a function to a Program --------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_TRANSLATOR_H
#define TILEWRIGHT_SIMULATOR_MACHINE_TRANSLATOR_H

#include "ir/cuda/Cuda.h"
#include "simulator/machine/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::simulator::machine {

/// The place and the kind of a value. A packed word is an I32.
struct Slot {
  uint32_t number = kNoSlot;
  ElementKind kind = ElementKind::I32;
  int64_t count = 1; // elements

  Storage storage() const { return storageOf(kind); }
  bool isWide() const { return storage() == Storage::Int64; }
  operator uint32_t() const { return number; }
};

class Translator {
public:
  Translator(mlir::func::FuncOp kernel, Program &program) : kernel(kernel), program(program) {}

  /// Fills the program; fails with a diagnostic.
  mlir::LogicalResult run(llvm::ArrayRef<MachineArgument> arguments);
  /// Translates a block without its terminator.
  mlir::LogicalResult translateBody(mlir::Block &block);

  //===- Values -------------------------------------------------------------------------------===//

  Slot slot(mlir::Value value) const { return slots.lookup(value); }
  /// A new slot for a value.
  Slot define(mlir::Value value);
  /// Lets a value live in a slot that another value owns.
  void alias(mlir::Value value, Slot slot) { slots[value] = slot; }
  Slot allocate(ElementKind kind, int64_t count = 1);
  Slot constant(ElementKind kind, int64_t bits);
  void release(Slot) {} // slots are not reused

  /// A place in a register array, from its value and the index of an element.
  RegisterRange registers(mlir::Value regs, mlir::Value index) const;
  /// The number of a pointer argument; notes that the instruction writes through it.
  uint32_t global(mlir::Value pointer, bool written = false);
  /// Notes an access to shared memory of so many bytes per lane.
  void noteShared(int64_t bytes) { program.granule = std::min(program.granule, bytes); }

  //===- Instructions -------------------------------------------------------------------------===//

  /// Appends an instruction; its pipe is that of the op's row, which counts once per op.
  Instruction &emit(mlir::Operation *op, Handler run);
  void emitKernel(mlir::Operation *op, ElementKernel kernel, Slot result, Slot a,
                  int64_t parameter = 0);
  /// An assignment that respects the mask.
  void emitCopy(mlir::Operation *op, Slot target, Slot source);
  /// Rounds or wraps a slot to its kind, in place; narrow floats are held as f32 here.
  void emitRound(mlir::Operation *op, Slot result, Slot source);
  void emitNarrow(mlir::Operation *op, Slot slot);
  /// A float as f32: the slot itself, or a new one.
  Slot widened(mlir::Operation *op, Slot slot);
  /// Where to compute a float of that slot as f32; `narrowInto` then rounds it to the slot's bits.
  Slot wideResult(Slot slot);
  void narrowInto(mlir::Operation *op, Slot slot, Slot wide);

  uint32_t here() const { return uint32_t(program.code.size()); }
  Instruction &instruction(uint32_t index) { return program.code[index]; }

  mlir::func::FuncOp kernel;
  Program &program;

private:
  mlir::LogicalResult bindArgument(mlir::BlockArgument value, const MachineArgument &argument);
  mlir::LogicalResult bindMap(mlir::BlockArgument value, cuda::TensorMapType type,
                              const MachineArgument &argument, llvm::StringRef name);
  mlir::LogicalResult translateOp(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<std::pair<int, int64_t>, uint32_t> constants;
  mlir::Operation *counted = nullptr; // the op whose pipe an instruction already has
};

/// How a type is held; nothing if it is not a scalar or a packed word.
std::optional<ElementKind> kindOf(mlir::Type type);
/// How elements of a register array move to and from memory.
ElementFormat formatOf(cuda::RegsType type);
/// How scalars of a type move to and from memory.
ElementFormat formatOf(mlir::Type type);

} // namespace tilewright::simulator::machine

#endif
