#include "tests/kernels/Case.h"

#include <sstream>

using namespace tilewright;
using namespace tilewright::kernels;

static Memory memoryFromName(const std::string &name) {
  return cli::memoryByName(name).value(); // else a slip in Cases.def
}

std::vector<std::string> tilewright::kernels::splitWords(const std::string &text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    if (!word.empty())
      words.push_back(word);
  return words;
}

static void addFamily(std::vector<Case> &cases, const char *kernels, const char *dtypes,
                      const char *shapes, const char *settings, const char *memories) {
  for (const std::string &kernel : splitWords(kernels, ' '))
    for (const std::string &dtype : splitWords(dtypes, ' '))
      for (const std::string &shape : splitWords(shapes, ' '))
        for (const std::string &setting : splitWords(settings, ' '))
          for (const std::string &memory : splitWords(memories, ' '))
            cases.push_back(
                {kernel, dtype, shape, setting == "-" ? "" : setting, memoryFromName(memory)});
}

std::vector<Case> tilewright::kernels::allCases() {
  std::vector<Case> cases;
#define FAMILY(kernels, dtypes, shapes, settings, memories)                                        \
  addFamily(cases, kernels, dtypes, shapes, settings, memories);
#include "tests/kernels/Cases.def"
  return cases;
}

std::vector<Case> tilewright::kernels::simulatedCases() {
  std::vector<Case> cases;
#define FAMILY(kernels, dtypes, shapes, settings, memories)                                        \
  addFamily(cases, kernels, dtypes, shapes, settings, memories);
#include "tests/kernels/Simulated.def"
  return cases;
}

std::string Case::name() const {
  std::string text = dtypes + "/" + shape;
  if (!settings.empty())
    text += "/" + settings;
  return text + "/" + std::string(cli::nameOf(memory));
}

std::string Case::command() const {
  std::string text = "tilewright run " + kernel + " --shape " + shape + " --dtype " + dtypes;
  if (!settings.empty())
    text += " --set " + settings;
  return memory == Memory::Contiguous ? text
                                      : text + " # tensors " + std::string(cli::nameOf(memory));
}
