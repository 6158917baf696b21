//===- Compiler.h - from a kernel to a Program ------------------------------------------------===//
//
// Each operation has a compile function in the file of its group; this class gives them slots and
// takes their instructions. The arguments are known when a kernel is compiled, so dimensions and
// scalar arguments become constants. A slot is free again after the last use of its value in the
// block that defines it, which keeps the arena in the cache.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_COMPILER_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_COMPILER_H

#include "ir/cta/Cta.h"
#include "simulator/reference/Program.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace tilewright::simulator {

/// The place and the kind of a value.
struct Slot {
  int64_t offset = 0;
  int64_t count = 0; // elements; 1 for a scalar
  ElementKind kind = ElementKind::I32;
  bool pooled = false; // may be reused after the value's last use

  Storage storage() const { return storageOf(kind); }
  int64_t bytes() const { return count * storageBytes(storage()); }
};

/// A view argument, with the shadow of its buffer if the run keeps one.
struct BoundView {
  const ViewValue *view;
  unsigned argument;
  std::string name;
  Shadow *shadow = nullptr;
  bool poison = false; // reads need a write of the same program
};

class Compiler;
using CompileOp = mlir::LogicalResult (*)(Compiler &, mlir::Operation *);
using OpTable = llvm::StringMap<CompileOp>;

class Compiler {
public:
  Compiler(Program &program, llvm::ArrayRef<BoundView> views) : program(program), views(views) {}

  /// Gives the kernel's scalar arguments their values.
  mlir::LogicalResult bindArguments(mlir::func::FuncOp kernel, llvm::ArrayRef<Argument> arguments);
  /// Compiles a block without its terminator, which goes to `terminate`.
  mlir::LogicalResult
  compileBlock(mlir::Block &block,
               llvm::function_ref<mlir::LogicalResult(mlir::Operation *)> terminate);
  mlir::LogicalResult compileOp(mlir::Operation *op);

  /// The slot of a value that has one. Ask before emitting: it must be defined already.
  Slot slot(mlir::Value value) const { return slots.lookup(value); }
  /// A new slot for a value; fails with a diagnostic when its type has no storage.
  mlir::FailureOr<Slot> define(mlir::Value value);
  mlir::FailureOr<llvm::SmallVector<Slot>> defineAll(mlir::ValueRange values);
  /// Lets `value` live in a slot that another value owns.
  void alias(mlir::Value value, Slot slot);
  mlir::FailureOr<Slot> allocate(mlir::Type type, mlir::Operation *user);
  Slot allocate(ElementKind kind, int64_t count);
  void release(Slot slot);
  /// A slot with fixed content.
  Slot constant(ElementKind kind, int64_t count, std::vector<char> bytes);
  Slot constantInteger(ElementKind kind, int64_t value);
  Slot constantElement(ElementKind kind, mlir::Attribute element);

  /// The argument that a view is, or is a part of.
  const BoundView &view(mlir::Value value) const;

  /// Appends an instruction and returns its index.
  size_t emit(mlir::Operation *op, Instruction instruction);
  size_t emitKernel(mlir::Operation *op, ElementKernel kernel, Slot result, Slot a,
                    int64_t parameter = 0);
  size_t emitCopy(mlir::Operation *op, Slot target, Slot source);
  /// Copies `sources` to `targets` as if at once: a source that is also a target goes over a
  /// temporary.
  void emitParallelCopy(mlir::Operation *op, llvm::ArrayRef<Slot> targets,
                        mlir::ValueRange sources);
  /// Rounds to a narrow float.
  void emitRound(mlir::Operation *op, Slot result, Slot source);
  /// For sums whose order is open: others are as good.
  void emitPerturbation(mlir::Operation *op, Slot sums);
  /// Rounds or wraps the storage of `slot` to its element kind, in place.
  void emitNarrow(mlir::Operation *op, Slot slot);
  size_t here() const { return program.code.size(); }
  Instruction &instruction(size_t index) { return program.code[index]; }

  Program &program;
  /// Keep every slot for ever: for code that is read after it ran.
  bool keepSlots = false;
  int64_t multiprocessors = 1;
  uint64_t perturbation = 0;

private:
  llvm::ArrayRef<BoundView> views;
  llvm::DenseMap<mlir::Value, Slot> slots;
  std::map<int64_t, std::vector<int64_t>> freeOffsets; // by rounded size
};

/// The element kind of a scalar type, or of a tile's elements.
std::optional<ElementKind> elementKind(mlir::Type type);
/// The elements of a tile, pending or not; 1 for a scalar and for a slot, which is a handle. A part
/// of a view is the element of its buffer that it starts at, and its sizes.
int64_t elementCount(mlir::Type type);
/// Appends one element to `bytes` in its storage.
void appendElement(std::vector<char> &bytes, Storage storage, mlir::Attribute element);

/// All operations with a meaning.
const OpTable &opTable();
void addElementOps(OpTable &table);
void addCastOps(OpTable &table);
void addControlOps(OpTable &table);
void addProgramOps(OpTable &table);
void addShapeOps(OpTable &table);
void addComputeOps(OpTable &table);
void addMemoryOps(OpTable &table);
void addChannelOps(OpTable &table);
void addProductOps(OpTable &table);
void addRoleOps(OpTable &table);

/// Emits `result = acc + a · b` of m×k by k×n.
void emitDot(Compiler &compiler, mlir::Operation *op, Slot result, Slot a, Slot b, Slot acc,
             int64_t m, int64_t n, int64_t k);
/// Emits the transposition of a tile with this number of rows and columns.
void emitTranspose(Compiler &compiler, mlir::Operation *op, Slot result, Slot source, int64_t rows,
                   int64_t columns);
/// Emits a read of what a slot of a channel holds.
void emitGet(Compiler &compiler, mlir::Operation *op, Slot result, mlir::Value slot);
/// How often a role runs side by side: once for each warpgroup if these tell each other apart.
int64_t copiesOf(cta::RoleOp role);

/// Compiles an op whose result is its first operand, as it is.
mlir::LogicalResult compileIdentity(Compiler &compiler, mlir::Operation *op);

/// Handlers that several groups use.
void runKernel(const Instruction &instruction, Frame &frame);
void runCopy(const Instruction &instruction, Frame &frame);

} // namespace tilewright::simulator

#endif
