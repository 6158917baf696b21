//===- CtaText.h - checks for texts that crash MLIR's parser ----------------------------------===//
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

/// The first place in a program's text at which MLIR's parser would crash: brackets that are nested
/// too deeply for the stack, or a use of a value before its definition, which the parser may have
/// freed.
std::optional<TextFault> findFault(llvm::StringRef text);

} // namespace tilewright::driver

#endif
