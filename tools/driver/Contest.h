//===- Contest.h - contenders are checked and timed in turns ----------------------------------===//
//
// A process cannot end a kernel that hangs. So contenders run in a child process, which announces
// each step in a line. If nothing more comes, the parent kills the child, drops the contender that
// it named last, and starts another child with the rest.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_CONTEST_H
#define TILEWRIGHT_TOOLS_DRIVER_CONTEST_H

#include "support/ErrorOr.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tilewright::driver {

//===- In the child ---------------------------------------------------------------------------===//

/// What contenders run on: a GPU, or a replacement for tests.
class Arena {
public:
  virtual ~Arena() = default;
  /// Runs a contender once on fresh data and compares its results with those of the first that was
  /// right. Returns how they differ, or nothing. An error means that the arena cannot be used any
  /// more.
  virtual ErrorOr<std::string> check(size_t contender) = 0;
  /// Runs a contender to keep the GPU busy, and waits for no more than that needs.
  virtual Status warm(size_t contender) = 0;
  /// The microseconds of one run, with a flushed L2.
  virtual ErrorOr<double> time(size_t contender) = 0;
};

/// How long to measure.
struct Pace {
  double warmSeconds = 1.5;
  double seconds = 3; ///< Of turns; there are at least three turns.
  unsigned turns = 50;
};

/// Checks the contenders that are not left out, times those that are right in turns, and writes to
/// `pipe` what it is about to do and what came of it:
///
///   check 2             right 2, or: drop 2 differs in …
///   run 2               before each run
///   turn 3 50
///   time 2 812.42       the median, in microseconds
///   done
void holdContest(Arena &arena, size_t count, const std::set<size_t> &leftOut, int pipe,
                 const Pace &pace = {});

//===- In the parent --------------------------------------------------------------------------===//

/// The result of a contender.
struct Outcome {
  double microseconds = 0;
  std::string dropped; ///< Why it was not timed; empty if it was.
};

/// The progress of a contest: "checking 3 of 9", 0.25; empty at its end.
using Progress = std::function<void(const std::string &doing, double share)>;

/// A process that holds a contest, and the pipe that it writes to.
struct Child {
  int pid = -1, pipe = -1;
};
/// Starts a child without some contenders.
using StartChild = std::function<ErrorOr<Child>(const std::set<size_t> &leftOut)>;

/// Waits until a child's pipe can be read; false if nothing came in time. Tests need no clock for
/// it.
using Listen = std::function<bool(const Child &child)>;

/// Runs a program with these words as its command line, and reads its output.
ErrorOr<Child> startProgram(std::vector<std::string> words);

/// The outcomes of all contenders. Fails if a child cannot be started, or fails before its first
/// step.
ErrorOr<std::vector<Outcome>> superviseContest(size_t count, const StartChild &start,
                                               double limitSeconds, const Progress &progress = {},
                                               Listen listen = {});

} // namespace tilewright::driver

#endif
