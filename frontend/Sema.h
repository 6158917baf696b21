//===- Sema.h - what can be checked before sizes are known ------------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_SEMA_H
#define TILEWRIGHT_FRONTEND_SEMA_H

#include "frontend/Ast.h"

#include "llvm/ADT/StringSet.h"

#include <set>

namespace tilewright::frontend {

struct Program::Impl {
  std::string text, file;
  Ast ast;
  llvm::StringMap<Loc> dims;
  llvm::StringMap<std::vector<Dtype>> dtypes;
  llvm::StringMap<ConstValue> constants;
  llvm::StringMap<const FunctionDecl *> functions;
  llvm::StringMap<Borrowed> borrowed;
  std::deque<std::pair<const FunctionDecl *, Signature>> kernels;
};

/// How a function uses its names, with what the functions it calls do to them.
struct Uses {
  /// `name` is sliced with `:` at `axis`, with `rank` subscripts in all.
  using Whole = std::tuple<std::string, unsigned, unsigned>;
  llvm::StringSet<> extents; // a tile extent depends on the name
  std::set<Whole> whole;
  llvm::StringSet<> read, written; // the name is loaded from, stored to
  llvm::StringSet<> returned;      // what is returned may be the name's tensor, or a part of it
};

/// Reports recursion. `visiting` holds the callers.
std::optional<Uses> usesOf(const Source &source, const FunctionDecl &function,
                           const llvm::StringMap<const FunctionDecl *> &functions,
                           llvm::SmallVectorImpl<const FunctionDecl *> &visiting,
                           llvm::DenseMap<const FunctionDecl *, Uses> &known);

/// Resolves declarations, names and annotations of `program.ast`; fills the rest of `program`.
mlir::LogicalResult check(const Source &source, Program::Impl &program,
                          llvm::ArrayRef<Borrowed> borrowed);

/// Fills `signature` from a kernel's parameters.
mlir::LogicalResult checkParams(const Source &source, const Program::Impl &program,
                                const FunctionDecl &function, Signature &signature);

/// The name of a plain name, or "".
inline llvm::StringRef nameOf(const Expr *expr) {
  return expr && expr->kind == ExprKind::Name ? expr->name : "";
}

/// Whether a subscript is `a:b`, which makes a part of a tensor; `:` alone does not.
bool isPart(const Expr *subscript);
/// Whether a subscript is `:`.
bool isWhole(const Expr *subscript);
/// Whether an expression is `x[a:b, …]`: a part of a tensor and no tile.
bool givesPart(const Expr &expr);

/// Calls `visit` on every name of an expression.
void forEachName(const Expr *expr, llvm::function_ref<void(const Expr &)> visit);

} // namespace tilewright::frontend

#endif
