//===- Diagnostics.h - the compiler's messages as text ----------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_DIAGNOSTICS_H
#define TILEWRIGHT_TOOLS_DRIVER_DIAGNOSTICS_H

#include "support/ErrorOr.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::driver {

/// What a pass decided, and where (passes/say/Explain.h).
struct Remark {
  std::string pass, text; ///< The text starts with the pass's flag.
  std::string file;       ///< Empty where the place is not known.
  unsigned line = 0, column = 0;
  std::string variable; ///< The value that it is about; empty if it has no name.
  llvm::json::Object values;
  std::vector<std::pair<std::string, std::string>> alternatives; ///< Each with what was against it.

  /// `file:line: words`.
  std::string str() const;
  llvm::json::Value json() const;
};

/// Collects what is said through a context while it lives: errors and warnings rendered with their
/// source line and a caret, remarks as one line each.
class Diagnostics {
public:
  Diagnostics(mlir::MLIRContext &context, std::string_view file, std::string_view text);
  ~Diagnostics();

  /// Everything but remarks, as one Error; `fallback` when nothing was said.
  Error error(std::string_view fallback) const;
  bool empty() const;
  /// Forgets everything but the remarks.
  void clear();

  /// In the order of the passes, each line of words once.
  const std::vector<Remark> &remarks() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Tells the user, on standard error, of what goes on without harm. A message that this process has
/// given before is not repeated.
void warnOnce(const std::string &message);

} // namespace tilewright::driver

#endif
