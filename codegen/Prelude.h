//===- Prelude.h - the device functions that kernels call -------------------------------------===//
//
// The files of codegen/prelude, embedded. A line `//@ names…` starts a section, which defines these
// names. A kernel's text contains only the sections that it needs.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_PRELUDE_H
#define TILEWRIGHT_CODEGEN_PRELUDE_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tilewright::codegen {

/// The sections that `text` needs, directly or not, in the prelude's order.
std::string preludeFor(llvm::StringRef text);

/// Every name that the prelude defines.
std::vector<llvm::StringRef> preludeNames();

} // namespace tilewright::codegen

#endif
