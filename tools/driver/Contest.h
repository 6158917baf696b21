//===- Contest.h - contenders that are checked and timed in turns -----------------------------===//
//
// A kernel that hangs cannot be ended within its process. So contenders run in a child process,
// which tells line by line what it is about to do; the parent ends it where nothing more comes,
// drops the contender that was at work, and starts another with the rest.
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

/// What contenders run on: a GPU, or a test's stand-in.
class Arena {
public:
  virtual ~Arena() = default;
  /// Runs a contender once on fresh data and compares its results with those of the first that was
  /// right: how they differ, or nothing. An error is of the arena, which is of no more use.
  virtual ErrorOr<std::string> check(size_t contender) = 0;
  /// Runs one without waiting for more than the GPU is to be kept busy.
  virtual Status warm(size_t contender) = 0;
  /// The microseconds of one run, behind an empty L2.
  virtual ErrorOr<double> time(size_t contender) = 0;
};

/// How long is measured.
struct Pace {
  double warmSeconds = 1.5;
  double seconds = 3; ///< Of turns, but three turns at least.
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

/// What became of a contender.
struct Outcome {
  double microseconds = 0;
  std::string dropped; ///< Why it was not timed; empty: it was.
};

/// How far a contest is: "checking 3 of 9", 0.25; at its end nothing.
using Progress = std::function<void(const std::string &doing, double share)>;

/// A process that holds a contest, and what it writes to.
struct Child {
  int pid = -1, pipe = -1;
};
/// Starts one without some contenders.
using StartChild = std::function<ErrorOr<Child>(const std::set<size_t> &leftOut)>;

/// Runs a program with these words, and reads what it prints.
ErrorOr<Child> startProgram(std::vector<std::string> words);

/// The outcomes of all contenders. Fails if a child cannot be started, or cannot begin.
ErrorOr<std::vector<Outcome>> superviseContest(size_t count, const StartChild &start,
                                               double limitSeconds, const Progress &progress = {});

} // namespace tilewright::driver

#endif
