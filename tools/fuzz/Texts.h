//===- Texts.h - texts that are hardly programs -----------------------------------------------===//
//
// Files of kernels and of `cta` programs, changed in a few places as choices say: parts left out,
// repeated, put elsewhere, or replaced by what trips parsers. Most of what comes out is no program.
// Whatever it is, it must be refused with a reason that names the file, or be lowered.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_TEXTS_H
#define TILEWRIGHT_TOOLS_FUZZ_TEXTS_H

#include "tools/fuzz/Choices.h"
#include "tools/fuzz/Oracle.h"

#include <string>
#include <vector>

namespace tilewright::fuzz {

struct SourceText {
  std::string file; ///< Its ending says what it is: `.py` or `.mlir`.
  std::string text;
};

/// The `.py` and `.mlir` files among these, and in these folders.
ErrorOr<std::vector<SourceText>> readTexts(const std::vector<std::string> &paths);

/// One of the originals, changed.
SourceText drawText(Choices &choices, const std::vector<SourceText> &originals);

/// Changes a text in one place; others are there to take parts from (TextChanges.cpp).
void changeText(Choices &choices, SourceText &source, const std::vector<SourceText> &others);

/// What becomes of a text: `kRefused` with the reason, or nothing where it is lowered.
std::optional<Finding> checkText(const SourceText &source);

} // namespace tilewright::fuzz

#endif
