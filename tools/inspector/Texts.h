//===- Texts.h - a kernel at every level, line by line ----------------------------------------===//
//
// The texts of a kernel on its way down, and for each of their lines the places of the kernel that
// it comes from. MLIR's locations carry the places down to the CUDA text, `#line` carries them on
// to PTX and to the line table of the machine code.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_INSPECTOR_TEXTS_H
#define TILEWRIGHT_TOOLS_INSPECTOR_TEXTS_H

#include "tools/driver/Compiler.h"

#include "llvm/Support/JSON.h"

namespace tilewright::inspector {

/// A line and a column of the kernel's text; column 0 if only the line is known.
using Place = std::pair<unsigned, unsigned>;

struct PlacedText {
  std::string name; ///< Of the pane: "cta"
  std::string text;
  std::vector<std::vector<Place>> lines = {}; ///< For each line of the text; none: all unknown.
  std::string missing = {};                   ///< Why there is no text.
};

/// The kernel, `tile`, `cta`, `cuda-ir` and `cuda`, as `--emit` prints them.
ErrorOr<std::vector<PlacedText>> levelsOf(const driver::KernelTextPtr &text,
                                          const driver::Attempt &attempt);
/// PTX and machine code, or why there is none.
std::vector<PlacedText> machineTexts(const driver::KernelTextPtr &text,
                                     const ErrorOr<driver::Compiled> &compiled);

/// Texts as JSON, which refer to `places`: `[[line, column], …]`.
llvm::json::Array textsJson(const std::vector<PlacedText> &texts, llvm::json::Array &places);

/// The IR behind each pass as lines that are kept once each. `ir` is that of `--ir-after all`.
llvm::json::Array passesJson(const llvm::json::Array &ir, llvm::json::Array &lines);

} // namespace tilewright::inspector

#endif
