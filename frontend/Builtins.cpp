#include "frontend/Builtins.h"
#include "frontend/Source.h"

#include <limits>

using namespace tilewright::frontend;
using llvm::StringRef;

llvm::ArrayRef<Builtin> tilewright::frontend::builtins() {
  static constexpr Builtin kTable[] = {
#define BUILTIN(name, kind, params, doc) {#name, BuiltinKind::kind, params, doc},
#include "frontend/Builtins.def"
  };
  return kTable;
}

const Builtin *tilewright::frontend::findBuiltin(StringRef name) {
  for (const Builtin &builtin : builtins())
    if (builtin.name == name)
      return &builtin;
  return nullptr;
}

std::optional<double> tilewright::frontend::findConstant(StringRef name) {
#define CONSTANT(word, value, doc)                                                                 \
  if (name == #word)                                                                               \
    return value;
#include "frontend/Builtins.def"
  return std::nullopt;
}

bool tilewright::frontend::isMarker(StringRef name) {
#define MARKER(word, doc)                                                                          \
  if (name == #word)                                                                               \
    return true;
#include "frontend/Builtins.def"
  return false;
}

llvm::ArrayRef<StringRef> tilewright::frontend::definedNames() {
  static constexpr StringRef kNames[] = {
#define BUILTIN(name, ...) #name,
#define CONSTANT(name, ...) #name,
#define MARKER(name, ...) #name,
#include "frontend/Builtins.def"
#define DTYPE(enumerator, name, ...) name,
#include "frontend/Dtypes.def"
  };
  return kNames;
}

std::string tilewright::frontend::suggest(StringRef name, llvm::ArrayRef<StringRef> candidates) {
  StringRef best;
  unsigned bestDistance = name.size() / 3 + 1;
  for (StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, bestDistance);
    // A name of one or two letters is near everything; ask for another case of the same letters.
    if (name.size() <= 2 && !name.equals_insensitive(candidate))
      continue;
    if (distance < bestDistance || (best.empty() && distance == bestDistance && name.size() > 2)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best.empty() ? "" : (" (did you mean `" + best + "`?)").str();
}
