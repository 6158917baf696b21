#include "tools/tilewright/ProgramCase.h"

#include "support/Files.h"
#include "tools/tilewright/PlanCase.h"

#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <fmt/format.h>
#include <regex>

using namespace tilewright;
using namespace tilewright::cli;
using fuzz::Choices;
using fuzz::Finding;
using llvm::StringRef;

//===- Reading --------------------------------------------------------------------------------===//

static ErrorOr<ProgramSubject> readProgram(StringRef line, const std::filesystem::path &folder) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(line, words);
  ProgramSubject subject;
  std::string file = (folder / words.front().str()).lexically_normal().string();
  TILEWRIGHT_TRY(parseOptions(llvm::ArrayRef(words).drop_front(), subject.kernel));
  TILEWRIGHT_ASSIGN(subject.text, readFile(file));
  subject.kernel.kernel = file;
  subject.words = file + line.drop_front(words.front().size()).str();
  subject.edits = fuzz::editsOf(subject.text);
  return subject;
}

ErrorOr<std::vector<ProgramSubject>> cli::readPrograms(const std::string &path) {
  auto read = [folder = std::filesystem::path(path).parent_path()](StringRef line) {
    return readProgram(line, folder);
  };
  return readLines<ProgramSubject>(path, "program", read);
}

//===- Drawing --------------------------------------------------------------------------------===//

ProgramCase ProgramCase::draw(Choices &choices, const std::vector<ProgramSubject> &subjects) {
  const ProgramSubject &subject = choices.pick(subjects);
  ProgramCase test{&subject, {}, {}};
  if (choices.chance(75))
    test.edit = choices.pick(subject.edits);
  test.schedule = choices.pick(
      {simulator::Schedule::Lazy, simulator::Schedule::Eager, simulator::Schedule::Random});
  return test;
}

std::string ProgramCase::str() const {
  StringRef name = schedule == simulator::Schedule::Lazy    ? "lazy"
                   : schedule == simulator::Schedule::Eager ? "eager"
                                                            : "random";
  return fmt::format("// {}\n// tilewright simulate {} --schedule {}\n{}",
                     edit ? edit->what : "not edited", subject->words, name.str(), text());
}

//===- Checking -------------------------------------------------------------------------------===//

/// A refusal names a line, a size that is checked at the launch, or an argument.
static Finding refusalOf(const Error &error) {
  static const std::regex hasPlace(R"(\.mlir:\d+|kernel `)");
  bool isClear = std::regex_search(error.message, hasPlace);
  return {isClear ? fuzz::kRefused : "unclear", error.message};
}

static ErrorOr<Job> jobOf(const ProgramCase &test) {
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr text,
                    driver::loadKernelText(test.text(), test.subject->kernel.kernel, ""));
  TILEWRIGHT_ASSIGN(Job job, makeJob(text, test.subject->kernel));
  TILEWRIGHT_TRY(checkComplete(job));
  TILEWRIGHT_TRY(choosePlans(job));
  TILEWRIGHT_TRY(checkSizes(job, job.sizes));
  return job;
}

std::optional<Finding> cli::checkProgram(const ProgramCase &test) {
  ErrorOr<Job> job = jobOf(test);
  std::optional<Finding> finding =
      job ? checkRun(*job, {test.schedule}, refusalOf) : std::optional(refusalOf(job.error()));
  if (!finding)
    return std::nullopt;
  bool isRefused = finding->stage == fuzz::kRefused || finding->stage == "simulator";
  if (test.edit && isRefused)
    return Finding{fuzz::kRefused, finding->message};
  return Finding{isRefused ? "refused as it was" : finding->stage,
                 finding->message + "\n" + test.str()};
}
