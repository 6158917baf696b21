// `tilewright fuzz --texts`: files that are hardly programs, each refused with a reason, or
// lowered.
#include "tools/fuzz/Texts.h"
#include "tools/tilewright/Trials.h"

using namespace tilewright;
using namespace tilewright::cli;
using fuzz::Choices;
using fuzz::SourceText;

Status cli::fuzzTexts(const FuzzOptions &options) {
  TILEWRIGHT_ASSIGN(std::vector<SourceText> originals, fuzz::readTexts(options.texts));
  Trials trials;
  trials.what = "texts";
  trials.check = [&](Choices &choices) {
    return fuzz::checkText(fuzz::drawText(choices, originals));
  };
  trials.show = [&](Choices &choices) -> ErrorOr<std::string> {
    return fuzz::drawText(choices, originals).text;
  };
  trials.saved = [&](const fuzz::Finding &, Choices &choices) {
    return fuzz::drawText(choices, originals).text;
  };
  trials.ending = ".txt";
  trials.tellsReasons = false; // there are as many as messages
  trials.isolate.batch = 500;
  trials.isolate.cpuSeconds = options.seconds;
  return runTrials(std::move(trials), options);
}
