//===- PlanCase.h - a random plan of a kernel, with sizes to run it at ------------------------===//
//
// A file lists the kernels that plans are drawn for, one in a line: its words on the command line,
// behind `tiles` the dimensions that programs go through with the extents to try, and behind `loop`
// the one that a program's loop goes through.
//
//   matmul_nt --dtype E=f16,O=f16 tiles M/BM=64|128 N/BN=16|64 loop K/BK=32|64
//   attention --shape B=1,G=1,D=64 tiles S/BM=64 H loop T/BN=16|48
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_PLANCASE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_PLANCASE_H

#include "passes/plan/Plan.h"
#include "simulator/Machine.h"
#include "support/Files.h"
#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Oracle.h"
#include "tools/tilewright/Check.h"

namespace tilewright::cli {

/// A dimension, and what one tile of it takes.
struct TiledDim {
  std::string dim, parameter; ///< "M", "BM"; no parameter: always the only extent.
  std::vector<int64_t> extents{1};
};

struct PlanSubject {
  std::string words; ///< As they stand on the command line.
  KernelArgs kernel;
  std::vector<TiledDim> tiles;
  TiledDim loop;
};

/// Takes the options that say how a kernel is specialised: `--shape`, `--dtype`, `--set`.
Status parseOptions(llvm::ArrayRef<llvm::StringRef> words, KernelArgs &kernel);

/// What each line of a file stands for, but for what is behind `#` and empty ones.
template <typename T, typename Read>
ErrorOr<std::vector<T>> readLines(const std::string &path, const std::string &what, Read read) {
  TILEWRIGHT_ASSIGN(std::string text, readFile(path));
  std::vector<T> result;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    ErrorOr<T> one = read(line);
    if (!one)
      return Error{path + ": " + one.error().message};
    result.push_back(std::move(*one));
  }
  if (result.empty())
    return Error{path + " lists no " + what};
  return result;
}

/// Reads the lines of a file; kernels in files are found from its folder.
ErrorOr<std::vector<PlanSubject>> readSubjects(const std::string &path);

/// When asynchronous operations complete.
struct ScheduleChoice {
  simulator::Schedule schedule = simulator::Schedule::Lazy;
  uint64_t seed = 0;

  std::string str() const; ///< As options of `tilewright simulate`.
};

/// A plan, and a kernel that it is for.
struct PlanCase {
  PlanSubject subject;
  passes::Plan plan;
  Sizes sizes;        ///< But of the loop's dimension.
  int64_t extent = 1; ///< Of an iteration of the loop,
  int64_t less = 0;   ///< the last of which is this much shorter.

  /// Draws a plan.
  static ErrorOr<PlanCase> draw(fuzz::Choices &choices, const std::vector<PlanSubject> &subjects);
  /// Takes one of the plans that a tuner would measure for a launch of random sizes.
  static ErrorOr<PlanCase> find(fuzz::Choices &choices, const std::vector<PlanSubject> &subjects);

  /// Sizes for which the loop runs so often.
  Sizes sizesOf(int64_t iterations) const;
  /// 0, 1, and around the depth of the deepest channel.
  std::vector<int64_t> iterations() const;

  /// What a user asks for at some sizes.
  ErrorOr<Job> jobAt(const Sizes &sizes) const;
  /// The plan's text, and how to simulate it.
  std::string str(const Sizes &sizes, const ScheduleChoice &schedule = {}) const;
};

/// One simulated run, which must find nothing and give what the interpreter does; `refusalOf` says
/// what an error of the compiler is.
std::optional<fuzz::Finding> checkRun(const Job &job, const ScheduleChoice &schedule,
                                      fuzz::Finding (*refusalOf)(const Error &));

/// What becomes of a plan: nothing where it runs, with the numbers of the interpreter.
std::optional<fuzz::Finding> checkPlan(const PlanCase &test);
/// The same, with many schedules where the loop runs once more than there are slots.
std::optional<fuzz::Finding> checkFoundPlan(const PlanCase &test);

} // namespace tilewright::cli

#endif
