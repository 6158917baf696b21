//===- Explain.h - how passes say what they decided -------------------------------------------===//
//
//   explain(dot, "make-channels").with("instruction", name).with("warps", {4, 2})
//       << "a 64x64x32 product as " << name << ", warps 4x2";
//
// An explanation is a remark at the op's place: words for people, which start with the pass's flag,
// and values by key for programs, which travel as metadata of the remark's location.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_SAY_EXPLAIN_H
#define TILEWRIGHT_PASSES_SAY_EXPLAIN_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tilewright::passes {

/// A decision; said when it goes out of scope.
class Explanation {
public:
  Explanation(mlir::Location place, llvm::StringRef pass);
  ~Explanation();
  Explanation(const Explanation &) = delete;
  Explanation &operator=(const Explanation &) = delete;

  /// What was decided, or what it depended on. A key is a word with underscores; `bytes`, `slots`,
  /// `warps`, `registers` and the like count just these.
  Explanation &with(llvm::StringRef key, int64_t value);
  Explanation &with(llvm::StringRef key, llvm::ArrayRef<int64_t> values);
  Explanation &with(llvm::StringRef key, llvm::StringRef value);
  /// What was not taken instead, and why.
  Explanation &rather(llvm::StringRef than, llvm::StringRef why);

  template <typename T> Explanation &operator<<(const T &words) {
    stream << words;
    return *this;
  }

private:
  mlir::Location place;
  llvm::StringRef pass;
  std::string text;
  llvm::raw_string_ostream stream;
  mlir::NamedAttrList values;
  llvm::SmallVector<mlir::Attribute> alternatives; ///< Pairs of strings.
};

/// What an explanation is carried by: the metadata of its place.
inline constexpr llvm::StringLiteral kPassKey = "pass", kValuesKey = "values",
                                     kAlternativesKey = "alternatives";

/// A decision about `op`, which `tilewright explain` shows and which others ignore. `pass` is the
/// flag of the pass.
Explanation explain(mlir::Operation *op, llvm::StringRef pass);

} // namespace tilewright::passes

#endif
