//===- Explain.h - how passes report decisions ------------------------------------------------===//
//
//   explain(dot, "make-channels").with("instruction", name).with("warps", {4, 2})
//       << "a 64x64x32 product as " << name << ", warps 4x2";
//
// An explanation is a remark at the op's location. Its words are for people and start with the
// pass's flag. Its values are for programs and are stored by key in the metadata of the location.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_SAY_EXPLAIN_H
#define TILEWRIGHT_PASSES_SAY_EXPLAIN_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tilewright::passes {

/// A decision, reported when the object goes out of scope.
class Explanation {
public:
  Explanation(mlir::Location place, llvm::StringRef pass);
  ~Explanation();
  Explanation(const Explanation &) = delete;
  Explanation &operator=(const Explanation &) = delete;

  /// Adds a decision, or a number that it depended on. A key is a word with underscores. `bytes`,
  /// `slots`, `warps`, `registers` and the like are counts of these.
  Explanation &with(llvm::StringRef key, int64_t value);
  Explanation &with(llvm::StringRef key, llvm::ArrayRef<int64_t> values);
  Explanation &with(llvm::StringRef key, llvm::StringRef value);
  /// Adds an alternative that was not chosen, and why.
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

/// Keys of the metadata of an explanation's location.
inline constexpr llvm::StringLiteral kPassKey = "pass", kValuesKey = "values",
                                     kAlternativesKey = "alternatives";

/// Reports a decision about `op`, for `tilewright explain`. `pass` is the flag of the pass.
Explanation explain(mlir::Operation *op, llvm::StringRef pass);

} // namespace tilewright::passes

#endif
