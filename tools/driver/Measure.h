//===- Measure.h - a contest on a GPU ---------------------------------------------------------===//
//
// The parent packs compiled kernels and what their arguments are like into a file; the child reads
// it, makes the arguments, and holds the contest (Contest.h). It needs no compiler.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_MEASURE_H
#define TILEWRIGHT_TOOLS_DRIVER_MEASURE_H

#include "runtime/Kernel.h"
#include "tools/driver/Binding.h"
#include "tools/driver/Contest.h"

#include <map>

namespace tilewright::driver {

/// What the data of a call is like, where random data would not do.
struct DataHints {
  std::map<std::string, double> deviations;          ///< Of random floats where it is not 1.
  std::map<std::string, std::vector<char>> contents; ///< The bytes of tensors, by name.
};

/// The file of a contest between kernels on a call's arguments. Integers are copied from tensors
/// that have memory on a GPU: they may be indices. Floats are random.
ErrorOr<std::string> packContest(const std::vector<const runtime::Kernel *> &kernels,
                                 const Call &call, int device, const DataHints &hints = {});

/// What the child does: holds the contest of a file without the contenders that `leftOut` lists
/// ("1,4"), and writes to `pipe`. Returns the exit status of the process.
int measureContest(const std::string &path, const std::string &leftOut, int pipe);

/// The words that start a program which does that, before the file and what is left out; the
/// command line and the Python package set their own.
std::vector<std::string> measuringProgram();
void setMeasuringProgram(std::vector<std::string> words);

} // namespace tilewright::driver

#endif
