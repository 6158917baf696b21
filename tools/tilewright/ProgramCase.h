//===- ProgramCase.h - a `cta` program, perhaps edited, with sizes to run it at ---------------===//
//
// A file lists programs, one in a line, with the options that they are run with:
//
//   ../hopper/gemm_persistent.mlir --shape M=150,N=304,K=208
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_PROGRAMCASE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_PROGRAMCASE_H

#include "simulator/Machine.h"
#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Edits.h"
#include "tools/fuzz/Oracle.h"
#include "tools/tilewright/Check.h"

namespace tilewright::cli {

struct ProgramSubject {
  std::string words; ///< As they stand on the command line.
  KernelArgs kernel;
  std::string text;
  std::vector<fuzz::Edit> edits;
};

/// Reads the lines of a file; programs are found from its folder.
ErrorOr<std::vector<ProgramSubject>> readPrograms(const std::string &path);

struct ProgramCase {
  const ProgramSubject *subject;
  std::optional<fuzz::Edit> edit; ///< None: the program is as it was.
  simulator::Schedule schedule;

  /// One program in four is as it was.
  static ProgramCase draw(fuzz::Choices &choices, const std::vector<ProgramSubject> &subjects);
  const std::string &text() const { return edit ? edit->text : subject->text; }
  /// What was edited, how to simulate it, and the text.
  std::string str() const;
};

/// What becomes of a program: nothing where it runs, with the numbers of the interpreter. An edited
/// one may be refused, by the compiler at a line or by the simulator.
std::optional<fuzz::Finding> checkProgram(const ProgramCase &test);

} // namespace tilewright::cli

#endif
