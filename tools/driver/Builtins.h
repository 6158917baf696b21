//===- Builtins.h - the built-in kernels ------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_BUILTINS_H
#define TILEWRIGHT_TOOLS_DRIVER_BUILTINS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::driver {

/// A file of kernels_src/.
struct BuiltinFile {
  std::string_view name; ///< Without `.py`.
  std::string_view text;

  /// The name of the file in messages.
  std::string path() const { return "kernels_src/" + std::string(name) + ".py"; }
};

std::span<const BuiltinFile> builtinFiles();

/// The names after `@kernel` in a file's text, in order; needs no parser.
std::vector<std::string> kernelNames(std::string_view text);

/// The file that has a kernel of this name, or null.
const BuiltinFile *findBuiltin(std::string_view kernel);

/// kernels_src/defaults.json: for each kernel, what `tilewright run` takes if the user does not
/// say.
std::string_view builtinDefaults();

/// The files of kernels_src/tuned, with tuned plans for the built-in kernels (docs/tuner.md).
std::span<const std::string_view> builtinTuned();

} // namespace tilewright::driver

#endif
