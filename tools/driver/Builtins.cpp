#include "tools/driver/Builtins.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::driver;

static constexpr BuiltinFile kFiles[] = {
#include "kernels_src/BuiltinFiles.inc"
};

std::span<const BuiltinFile> driver::builtinFiles() { return kFiles; }

std::string_view driver::builtinDefaults() {
  return
#include "kernels_src/BuiltinDefaults.inc"
      ;
}

std::span<const std::string_view> driver::builtinTuned() {
  static constexpr std::string_view kTuned[] = {
#include "kernels_src/BuiltinTuned.inc"
  };
  return kTuned;
}

std::vector<std::string> driver::kernelNames(std::string_view text) {
  static constexpr std::string_view kMarker = "\n@kernel\ndef ";
  std::vector<std::string> names;
  for (size_t at = text.find(kMarker); at != text.npos; at = text.find(kMarker, at + 1)) {
    size_t begin = at + kMarker.size();
    names.emplace_back(text.substr(begin, text.find('(', begin) - begin));
  }
  return names;
}

const BuiltinFile *driver::findBuiltin(std::string_view kernel) {
  for (const BuiltinFile &file : kFiles) {
    std::vector<std::string> names = kernelNames(file.text);
    if (std::find(names.begin(), names.end(), kernel) != names.end())
      return &file;
  }
  return nullptr;
}
