//===- Program.h - a compiled kernel and its execution ----------------------------------------===//
//
// A kernel as a flat list of instructions. Values live in slots, byte offsets into an arena that
// each thread owns; control flow is an assignment to the program counter.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_PROGRAM_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_PROGRAM_H

#include "simulator/Reference.h"
#include "simulator/reference/Kernels.h"
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

struct Program {
  std::vector<Instruction> code;
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

/// What went wrong in a program.
struct Failure {
  mlir::Operation *op;
  std::string message;
};

/// Asks for the op by which a program touches an element, to name its line in a report.
struct Watch {
  const Shadow *shadow;
  int64_t element;
  Touch touch;
  mlir::Operation *found = nullptr;
};

/// The state of one thread.
struct Frame {
  explicit Frame(const Program &program);

  template <typename T> T *at(int64_t slot) { return reinterpret_cast<T *>(arena + slot); }
  void fail(mlir::Operation *op, std::string message) {
    if (!failure)
      failure = Failure{op, std::move(message)};
  }
  /// Runs the code from its start for the program set below; false with `failure` set on an error.
  bool execute();

  const Program &program;
  const Kernels &table;
  std::unique_ptr<char[]> storage;
  char *arena = nullptr;
  size_t pc = 0;
  uint32_t id = 0; // of the program, axis 0 of the grid fastest
  llvm::SmallVector<int64_t> coordinates;
  std::optional<Failure> failure;
  Watch *watch = nullptr;
  Statistics statistics;
};

/// An integer in a slot of either storage.
inline int64_t readInteger(Frame &frame, int64_t slot, Storage storage) {
  return storage == Storage::Int64 ? *frame.at<int64_t>(slot) : *frame.at<int32_t>(slot);
}

} // namespace tilewright::simulator

#endif
