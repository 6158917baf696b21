//===- Reference.h - the reference interpreter of the tile and cta dialects -------------------===//
//
// The oracle. It runs a kernel of whole tiles on the CPU exactly as the ops are defined, with
// bit-exact narrow floats. It reports errors that a GPU would hide: reads of memory that was never
// written, accesses outside an allocation, races between programs.
//
// What the ops leave open is fixed here. A dot adds in f32 with k ascending and a fused
// multiply-add per product. A sum or scan of floats runs in double and is rounded once. Every other
// operation on narrow floats computes in f32 and rounds once. `arith` casts mean what `tile.cast`
// means, also where MLIR calls the result poison. An integer division by zero is an error. A shift
// by the width or more gives 0 (or the sign). Atomic updates of floats happen in program order.
//
// For a `cta` program it runs the computation, not its timing. Products and copies complete where
// they are started, and a slot is free at its release. Roles run in turn. If none can continue,
// that is an error, which names what each role waits for. Program b of n takes the whole tiles b, b
// + n, b + 2n, …, in the order of their coordinates; clusters, orders and layouts have no effect.
// If the warpgroups of a role differ, each runs the role, and stores, puts and multiplies its own
// rows. `cta.partial_sum` puts the whole sum into the first column.
//
// The interpreter compiles the function to a list of instructions over preallocated slots, once per
// call, and runs the programs of the grid over threads. The result does not depend on the number of
// threads.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_H

#include "simulator/Buffer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::simulator {

/// A strided window of a buffer; offset and strides are in elements.
struct ViewValue {
  Buffer *buffer = nullptr;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> shape, strides;
};

/// A view of a whole buffer, row-major.
ViewValue makeView(Buffer &buffer, llvm::ArrayRef<int64_t> shape);

/// A kernel's argument: a view, an integer (also for i1) or a float, as the type asks.
using Argument = std::variant<ViewValue, int64_t, double>;

struct Options {
  unsigned threads = 0;   // 0: one per core
  bool checkRaces = true; // costs 8 to 24 bytes per element of the buffers that the kernel writes
  bool poison = true;     // respects Buffer::initialized
  uint64_t maxPrograms = uint64_t(1) << 31;
  int64_t multiprocessors = 4; // what `cta.sms` gives
  /// Not 0: a seed by which results differ as another executor's may. Sums whose order is open, and
  /// what is rounded to a narrow float, are off by up to 16 units in the last place of an f32
  /// before. Numbers that are exact stay so. What is rounded just to be multiplied becomes either
  /// of the numbers around it: the weights of a softmax are relative to a peak, which plans choose.
  /// Products of 8-bit floats are added up as tensor cores do, with some 13 bits.
  uint64_t perturbation = 0;
};

/// What a run did, summed over its programs.
struct Statistics {
  uint64_t programs = 0;
  uint64_t instructions = 0;
  uint64_t dotFlops = 0;    // 2·m·n·k each
  uint64_t elementOps = 0;  // elements of arith and math operations, scalars included
  uint64_t bytesLoaded = 0; // inside the views
  uint64_t bytesStored = 0; // atomic updates included
  llvm::SmallVector<int64_t> grid;
};

/// Runs every program of the kernel's grid. Errors are diagnostics at the source line, through the
/// module's context: the error of the lowest program, or else the first race.
llvm::LogicalResult interpret(mlir::func::FuncOp kernel, llvm::ArrayRef<Argument> arguments,
                              const Options &options = {}, Statistics *statistics = nullptr);

/// The number of programs along each axis, for these arguments; fails as `interpret` does.
mlir::FailureOr<llvm::SmallVector<int64_t>> evaluateGrid(mlir::func::FuncOp kernel,
                                                         llvm::ArrayRef<Argument> arguments,
                                                         const Options &options = {});

/// Whether the interpreter gives the operation a meaning (an operand's type may still be refused).
bool isInterpreted(mlir::Operation *op);
bool isInterpreted(llvm::StringRef opName);

/// The names of all operations with a meaning, sorted.
std::vector<std::string> interpretedOps();

} // namespace tilewright::simulator

#endif
