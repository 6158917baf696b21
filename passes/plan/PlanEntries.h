//===- PlanEntries.h - reads the entries of a plan's text -------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_PLANENTRIES_H
#define TILEWRIGHT_PASSES_PLAN_PLANENTRIES_H

#include "passes/plan/Plan.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewright::passes {

/// A piece of the text and its position.
struct Piece {
  llvm::StringRef text;

  std::vector<Piece> split(char separator) const {
    std::vector<Piece> pieces;
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, separator);
    for (llvm::StringRef part : parts)
      pieces.push_back({part.trim()});
    return pieces;
  }
  /// The text before the first `separator`, and the text behind it.
  std::pair<Piece, Piece> cut(char separator) const {
    size_t at = std::min(text.find(separator), text.size());
    return {{text.take_front(at).trim()},
            {text.drop_front(at).drop_front(at < text.size()).trim()}};
  }
  /// The words, between blanks.
  std::vector<Piece> words() const {
    std::vector<Piece> result;
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::SplitString(text, parts);
    for (llvm::StringRef part : parts)
      result.push_back({part});
    return result;
  }
};

/// Reads entries into a plan.
class EntryReader {
public:
  EntryReader(llvm::StringRef text, llvm::StringRef file) : text(text), file(file) {}

  Status readEntry(llvm::StringRef section, Piece entry);
  /// "rows" and "in 2 parts", or "of 2 programs"
  Status readParts(Piece axis, Piece parts);
  Status readDepth(Piece extent);

  /// An error at a piece: what stands there and what is expected.
  Error error(Piece at, const llvm::Twine &expected) const;
  ErrorOr<int64_t> number(Piece piece) const;

  Plan plan;

private:
  /// A number followed by a word in singular or plural: "4 slots".
  ErrorOr<int64_t> count(Piece piece, llvm::StringRef of) const;
  bool counts(Piece piece, llvm::StringRef of) const;
  ErrorOr<std::vector<int64_t>> sizes(Piece piece) const;

  Status readWhen(Piece entry);
  Status readTile(Piece entry);
  Status readBlocks(Piece entry);
  Status readCluster(Piece entry);
  Status readAxes(Piece entry);
  Status readRole(Piece entry);
  Status readProduct(Piece entry);
  Status readLoop(Piece entry);
  Status readLoopField(Piece field, Plan::Loop &loop);
  Status readChannel(Piece entry);

  llvm::StringRef text, file;
};

} // namespace tilewright::passes

#endif
