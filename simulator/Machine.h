//===- Machine.h - the machine simulator of the cuda dialect ----------------------------------===//
//
// Runs a kernel at the `cuda` level on the CPU, op by op, and reports races, deadlocks, undefined
// values and bad accesses at the kernel's source line. See docs/simulator.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_H
#define TILEWRIGHT_SIMULATOR_MACHINE_H

#include "simulator/Buffer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {
struct Target;
}

namespace tilewright::simulator {

/// What a `!cuda.ptr` argument points to: an element of an allocation.
struct Pointer {
  Buffer *buffer = nullptr;
  int64_t offset = 0; // in elements
};

/// What a `!cuda.tensor_map` argument describes: the axes that its box has, outermost first.
struct TensorMap {
  Pointer pointer;
  llvm::SmallVector<int64_t, 5> sizes, strides; // in elements
};

/// One parameter of the device function: a pointer, an integer (also for i1), a float or a map.
using MachineArgument = std::variant<Pointer, int64_t, double, TensorMap>;

/// Decides the order of warps and asynchronous operations, which the program leaves open.
/// Timed is for timelines: the warp goes on that is least far, and asynchronous operations take as
/// long as instructions that would do their work.
enum class Schedule { Eager, Lazy, Random, Exhaustive, Timed };

/// "eager", "lazy", …; nothing if there is no such schedule.
std::optional<Schedule> scheduleByName(llvm::StringRef name);

//===- Findings -------------------------------------------------------------------------------===//

enum class FindingKind {
#define FINDING(enumerator, flag, text) enumerator,
#include "simulator/machine/Findings.def"
};

/// "race", "out-of-bounds", …
llvm::StringRef nameOf(FindingKind kind);

/// One side of a finding: an access or operation, and its agent.
struct FindingEvent {
  mlir::Operation *op = nullptr;
  int64_t block = 0;
  int warp = 0;      // in its block
  std::string agent; // "warp 3", "a cp.async of warp 3"
  std::string verb;  // "reads", "writes"
};

/// One thing wrong. The same kind at the same ops is reported once.
struct Finding {
  FindingKind kind;
  std::string message; // as the diagnostic says it, without the location
  FindingEvent here;
  int lane = -1;                    // the first lane concerned; -1: all
  std::string memory;               // "shared memory", an argument's name, or empty
  int64_t begin = 0, end = 0;       // bytes of `memory`, from its start
  std::vector<FindingEvent> others; // the events in conflict
};

//===- Counters -------------------------------------------------------------------------------===//

/// The functional units among which instructions are counted.
enum class Pipe {
#define PIPE(enumerator, name) enumerator,
#include "ir/cuda/Pipes.def"
};
llvm::StringRef nameOf(Pipe pipe);

/// The counters of one op, or of a whole run.
struct Counts {
  uint64_t instructions = 0;     // warp instructions
  uint64_t sharedRequests = 0;   // warp accesses to shared memory
  uint64_t sharedWavefronts = 0; // what they take
  uint64_t sharedIdeal = 0;      // what they would take without bank conflicts
  uint64_t sharedBytes = 0;
  uint64_t globalRequests = 0;
  uint64_t globalSectors = 0; // of 32 bytes
  uint64_t globalBytes = 0;

  Counts &operator+=(const Counts &other);
};

struct Counters {
  llvm::MapVector<mlir::Operation *, Counts> ops; // in program order; only ops that ran
  std::array<uint64_t, 16> pipes{};               // warp instructions, by Pipe
  Counts total;
};

//===- Running --------------------------------------------------------------------------------===//

/// Receives what happened when, for a timeline. Time is in warp instructions executed.
class TraceSink {
public:
  virtual ~TraceSink() = default;
  /// Something took from `begin` to `end` on a track ("block 0 warp 3", "block 0 warp 3 cp.async").
  virtual void slice(llvm::StringRef track, llvm::StringRef name, uint64_t begin, uint64_t end,
                     mlir::Location location) = 0;
};

struct MachineOptions {
  const Target *target = nullptr; // null: the kernel's `cuda.target`
  Schedule schedule = Schedule::Eager;
  uint64_t seed = 0;             // of Schedule::Random
  uint64_t maxRuns = 1000;       // of Schedule::Exhaustive, per cluster
  bool detectRaces = true;       // and reads of uninitialised shared memory
  bool count = true;             // memory counters; instructions are always counted
  uint64_t maxSteps = 200000000; // warp instructions per cluster
  int64_t maxBlocks = -1;        // simulates only the first so many; -1: all
  unsigned maxFindings = 16;     // then the run stops
  bool diagnose = true;          // findings are also emitted as diagnostics (errors with a note)
  TraceSink *trace = nullptr;
};

struct MachineResult {
  std::vector<Finding> findings;
  Counters counters;
  uint64_t laneInstructions = 0;
  uint64_t runs = 1;    // more than 1 with Schedule::Exhaustive
  bool complete = true; // false: Schedule::Exhaustive reached its bound

  bool isClean() const { return findings.empty(); }
};

/// Runs a kernel of the `cuda` level on a grid of `grid` blocks. Results are in the buffers. Fails,
/// with a diagnostic, if the kernel cannot be run at all: an op without semantics, an argument of
/// the wrong kind, more shared memory than the target has. Errors during the run are findings.
mlir::FailureOr<MachineResult> simulate(mlir::func::FuncOp kernel,
                                        llvm::ArrayRef<MachineArgument> arguments, int64_t grid,
                                        const MachineOptions &options = {});

/// Whether the simulator gives the operation a meaning.
bool isSimulated(llvm::StringRef opName);

} // namespace tilewright::simulator

#endif
