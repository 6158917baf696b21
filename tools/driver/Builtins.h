//===- Builtins.h - the kernels inside the tools ----------------------------------------------===//
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

  /// What messages call it.
  std::string path() const { return "kernels_src/" + std::string(name) + ".py"; }
};

std::span<const BuiltinFile> builtinFiles();

/// The names after `@kernel` in a file's text, in order; needs no parser.
std::vector<std::string> kernelNames(std::string_view text);

/// The file that has a kernel of this name, or null.
const BuiltinFile *findBuiltin(std::string_view kernel);

/// kernels_src/defaults.json: per kernel, what `tilewright run` takes where the user says nothing.
std::string_view builtinDefaults();

/// The files of kernels_src/tuned: plans that were tuned for them (docs/tuner.md).
std::span<const std::string_view> builtinTuned();

} // namespace tilewright::driver

#endif
