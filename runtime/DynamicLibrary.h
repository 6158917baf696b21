//===- DynamicLibrary.h - Libraries opened at run time ----------*- C++ -*-===//
//
// The CUDA driver and NVRTC are opened when first needed: programs start, and compile or check
// kernels, on machines that lack one or both.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "support/ErrorOr.h"

#include <string>

namespace tilewright::runtime {

/// A loaded shared library. It stays loaded until the process ends: CUDA's libraries do not
/// survive being closed.
class DynamicLibrary {
public:
  /// Loads a library by full path or by a name for the system's search. The error is dlopen's.
  static ErrorOr<DynamicLibrary> open(const std::string &nameOrPath);

  /// Address of a symbol; null if the library lacks it.
  void *find(const char *symbol) const;

  /// Full path of the file that defines `symbol`; empty if unknown.
  std::string pathOf(const char *symbol) const;

private:
  void *handle = nullptr;
};

} // namespace tilewright::runtime
