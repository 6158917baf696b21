//===- Names.h - identifiers for the values of a kernel ---------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NAMES_H
#define TILEWRIGHT_CODEGEN_NAMES_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::codegen {

/// Makes identifiers that differ from each other within their scope and the scopes around it, and
/// from everything that the text may otherwise name.
class Names {
public:
  Names();

  void pushScope() { scopes.emplace_back(); }
  void popScope();

  /// An identifier like `wanted`, made valid and unique: `row`, `row_2`, `row_3`.
  std::string fresh(llvm::StringRef wanted);
  /// An identifier for a loop's variable that has no name: i, j, k…
  std::string freshCounter();

private:
  llvm::StringSet<> taken;
  std::vector<std::vector<std::string>> scopes{1};
};

/// The name that a location carries, or an empty string.
llvm::StringRef nameOf(mlir::Location location);

/// The place in the kernel's source that a location gives, if any.
std::optional<mlir::FileLineColLoc> sourceOf(mlir::Location location);

/// What to call a value: the name of its location, or else what its uses or its type suggest.
std::string wantedName(mlir::Value value);

} // namespace tilewright::codegen

#endif
