//===- Measure.h - a contest on a GPU ---------------------------------------------------------===//
//
// The parent packs compiled kernels and a description of their arguments into a file. The child
// reads it, makes the arguments, and holds the contest (Contest.h). The child needs no compiler.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_MEASURE_H
#define TILEWRIGHT_TOOLS_DRIVER_MEASURE_H

#include "runtime/Kernel.h"
#include "tools/driver/Binding.h"
#include "tools/driver/Contest.h"

#include <map>

namespace tilewright::driver {

/// How to make the data of a call, if random data are not good enough.
struct DataHints {
  std::map<std::string, double> deviations;          ///< Deviations of random floats, where not 1.
  std::map<std::string, std::vector<char>> contents; ///< The bytes of tensors, by name.
};

/// The file of a contest between kernels on a call's arguments. Integers are copied from tensors on
/// a GPU, since they may be indices. Floats are random.
ErrorOr<std::string> packContest(const std::vector<const runtime::Kernel *> &kernels,
                                 const Call &call, int device, const DataHints &hints = {});

/// The child's part: holds the contest of a file without the contenders in `leftOut` ("1,4"), and
/// writes to `pipe`. Returns the exit status of the process.
int measureContest(const std::string &path, const std::string &leftOut, int pipe);

/// The first words of the command line of a measuring child; the file and the contenders to leave
/// out follow. The command line and the Python package set their own.
std::vector<std::string> measuringProgram();
void setMeasuringProgram(std::vector<std::string> words);

} // namespace tilewright::driver

#endif
