//===- CtaText.h - what MLIR's parser does not survive ----------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_CTATEXT_H
#define TILEWRIGHT_TOOLS_DRIVER_CTATEXT_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilewright::driver {

struct TextFault {
  size_t at; ///< In the text.
  std::string what;
};

/// The first thing in a program's text that MLIR's parser would crash on: brackets that are nested
/// deeper than there is stack for; a value that is used before it is given, which may be freed
/// then.
std::optional<TextFault> findFault(llvm::StringRef text);

} // namespace tilewright::driver

#endif
