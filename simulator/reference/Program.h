//===- Program.h - a compiled kernel and its execution ----------------------------------------===//
//
// A kernel as a flat list of instructions. Values live in slots, byte offsets into an arena that
// each thread owns. Control flow is an assignment to the program counter.
//
// The roles of a `cta` kernel are parts of that list. Each runs in a frame of its own, which starts
// as a copy of the frame before the roles, until it has to wait for a ring. Then the next role
// runs.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_PROGRAM_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_PROGRAM_H

#include "simulator/Reference.h"
#include "simulator/reference/Kernels.h"
#include "simulator/reference/Rings.h"
#include "simulator/reference/Shadow.h"

#include <memory>
#include <optional>

namespace tilewright::simulator {

struct Frame;
struct Instruction;
using Handler = void (*)(const Instruction &, Frame &);

struct Instruction {
  Handler run = nullptr;
  ElementKernel kernel = nullptr;
  int64_t result = 0, a = 0, b = 0, c = 0; // slots
  int64_t count = 0;                       // elements
  int64_t parameter = 0;                   // the handler's: a width, a jump's target, …
  const void *detail = nullptr;            // the handler's, owned by the program
  mlir::Operation *op = nullptr;           // for errors
};

/// The code of a role, and the number of its copies: one for each of its warpgroups if these may
/// diverge.
struct RoleCode {
  std::string name;
  size_t begin = 0, end = 0;
  int64_t copies = 1;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<RoleCode> roles;
  std::vector<RingShape> rings;
  /// Slots with a fixed content, written once per arena.
  struct Constant {
    int64_t slot;
    std::vector<char> bytes;
  };
  std::vector<Constant> constants;
  std::vector<std::shared_ptr<void>> details;
  int64_t arenaBytes = 0;

  template <typename T> T *own(T detail) {
    auto owned = std::make_shared<T>(std::move(detail));
    details.push_back(owned);
    return owned.get();
  }
};

/// An error in a program.
struct Failure {
  mlir::Operation *op;
  std::string message;
  std::vector<std::pair<mlir::Operation *, std::string>> notes = {};
};

/// Asks for the op by which a program touches an element, to name its line in a report.
struct Watch {
  const Shadow *shadow;
  int64_t element;
  Touch touch;
  mlir::Operation *found = nullptr;
};

struct Execution;

/// The state of the code that stands outside of roles, or of one role.
struct Frame {
  explicit Frame(Execution &execution);
  Frame(const Frame &) = delete;

  template <typename T> T *at(int64_t slot) { return reinterpret_cast<T *>(arena + slot); }
  void fail(mlir::Operation *op, std::string message);
  void start(size_t from, size_t to);
  /// Goes on until the end, a failure or a wait; false if it still waits for the same.
  bool resume();
  /// For a handler that has to wait for another role: it runs again then.
  void wait() {
    --pc;
    waiting = true;
  }
  bool isDone() const { return pc == end; }
  /// The rows of a tile with this number of rows that belong to this warpgroup; all rows if the
  /// role has one copy.
  std::pair<int64_t, int64_t> ownRows(int64_t rows) const;

  Execution &execution;
  const Kernels &table;
  std::unique_ptr<char[]> storage;
  char *arena = nullptr;
  size_t pc = 0, end = 0;
  bool waiting = false;
  const RoleCode *role = nullptr; // null outside of roles
  unsigned number = 0;            // among all of the program
  int64_t warpgroup = 0;
  RingCursors cursors;
};

/// One program of the grid after the other, of which `id`, `programs` and `coordinates` say which.
struct Execution {
  explicit Execution(const Program &program);

  /// Runs the program with its roles; false with `failure` set on an error.
  bool run();

  const Program &program;
  uint32_t id = 0;       // axis 0 of the grid fastest
  uint64_t programs = 1; // of the grid
  llvm::SmallVector<int64_t> coordinates;
  std::optional<Failure> failure;
  Watch *watch = nullptr;
  Statistics statistics;
  Rings rings;
  Frame main;

private:
  bool runRoles();
  void reportDeadlock();
  std::vector<std::unique_ptr<Frame>> roles;
};

/// An integer in a slot of either storage.
inline int64_t readInteger(Frame &frame, int64_t slot, Storage storage) {
  return storage == Storage::Int64 ? *frame.at<int64_t>(slot) : *frame.at<int32_t>(slot);
}

} // namespace tilewright::simulator

#endif
