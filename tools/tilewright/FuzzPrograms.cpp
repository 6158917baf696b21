// `tilewright fuzz --programs`: `cta` programs, as they are or edited: right, or refused.
#include "tools/tilewright/ProgramCase.h"
#include "tools/tilewright/Trials.h"

using namespace tilewright;
using namespace tilewright::cli;
using fuzz::Choices;

Status cli::fuzzPrograms(const FuzzOptions &options) {
  TILEWRIGHT_ASSIGN(std::vector<ProgramSubject> subjects, readPrograms(options.programs));
  Trials trials;
  trials.what = "programs";
  trials.check = [&](Choices &choices) {
    return checkProgram(ProgramCase::draw(choices, subjects));
  };
  trials.show = [&](Choices &choices) -> ErrorOr<std::string> {
    return ProgramCase::draw(choices, subjects).str();
  };
  trials.saved = [&](const fuzz::Finding &, Choices &choices) {
    return ProgramCase::draw(choices, subjects).str();
  };
  trials.ending = ".mlir";
  return runTrials(std::move(trials), options);
}
