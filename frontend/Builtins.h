//===- Builtins.h - the table of Builtins.def -------------------------------------------------===//
#ifndef TILEWRIGHT_FRONTEND_BUILTINS_H
#define TILEWRIGHT_FRONTEND_BUILTINS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilewright::frontend {

enum class BuiltinKind {
#define BUILTIN(name, kind, params, doc) kind,
#include "frontend/Builtins.def"
};

struct Builtin {
  llvm::StringRef name;
  BuiltinKind kind;
  llvm::StringRef params, doc;
};

llvm::ArrayRef<Builtin> builtins();
/// Null when there is none of that name.
const Builtin *findBuiltin(llvm::StringRef name);
std::optional<double> findConstant(llvm::StringRef name);
bool isMarker(llvm::StringRef name);

/// Every word that the language itself defines.
llvm::ArrayRef<llvm::StringRef> definedNames();

} // namespace tilewright::frontend

#endif
