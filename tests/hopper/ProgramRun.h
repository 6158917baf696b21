//===- ProgramRun.h - programs of the cta level over matrices, in the simulator --------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_PROGRAMRUN_H
#define TILEWRIGHT_TESTS_HOPPER_PROGRAMRUN_H

#include "passes/Pipeline.h"
#include "tests/hopper/Simulation.h"

#include <functional>
#include <gtest/gtest.h>

namespace tilewright::hopper {

/// An element, and what a result may differ from it.
struct Expected {
  float value, tolerance;
};

/// A result that has been rounded to bf16.
Expected rounded(Expected sum);

/// Operands and result of a program.
class ProgramRun {
public:
  using Reference = std::function<Expected(int64_t row, int64_t column)>;

  explicit ProgramRun(const std::string &file) : ProgramRun(loadProgram(file)) {}
  explicit ProgramRun(Program code) : code(std::move(code)) {}

  /// Adds the kernel's next argument; the last is the result. Rows start at multiples of
  /// `alignment` elements.
  void tensor(const std::string &type, int64_t rows, int64_t columns, int64_t alignment = 1);
  float at(size_t tensor, int64_t row, int64_t column) const {
    return tensors[tensor]->at(row, column);
  }
  /// Makes a tensor 0 where a column is more than `diagonal` behind its row.
  void keepTriangle(size_t tensor, int64_t diagonal);
  /// The product of a row of one and a row of another; the tolerance is the sum of its terms'
  /// magnitudes, in f32's rounding.
  Expected product(size_t a, int64_t row, size_t b, int64_t column) const;

  /// Runs it with that many blocks in eager, lazy and `random` other schedules, on a result of 0 if
  /// it adds to that; a test failure unless all are clean and right.
  void expect(int64_t grid, const Reference &expected, bool adds = false, unsigned random = 20);

  /// Runs its text as the interpreter understands it, as it is or after the passes of its level: a
  /// test failure unless that is right.
  void expectMeaning(const std::string &text, passes::Stage upTo, const Reference &expected,
                     bool adds = false);

  /// The flags of the first findings in some schedules.
  std::string findings(int64_t grid);

  llvm::StringMap<simulator::MachineArgument> numbers;

private:
  std::vector<HostMatrix *> all() const;

  Program code;
  std::vector<std::unique_ptr<HostMatrix>> tensors;
};

/// A program of this folder that multiplies matrices: c[M, N] from a[M, K] and b[N, K].
struct MatrixProgram {
  const char *file;
  /// Adds operands of these sizes to a run, and gives what to expect.
  ProgramRun::Reference (*fill)(ProgramRun &run, int64_t M, int64_t N, int64_t K);
  bool adds = false;
};
extern const std::vector<MatrixProgram> kMatrixPrograms;

/// What a test of one is called: its file, without the ending.
std::string nameOfProgram(const testing::TestParamInfo<MatrixProgram> &info);

} // namespace tilewright::hopper

#endif
