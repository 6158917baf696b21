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

/// A decision of a pass, and its place (passes/say/Explain.h).
struct Remark {
  std::string pass, text; ///< The text starts with the pass's flag.
  std::string file;       ///< Empty if the place is not known.
  unsigned line = 0, column = 0;
  std::string variable; ///< The value that it is about; empty if that has no name.
  llvm::json::Object values;
  std::vector<std::pair<std::string, std::string>>
      alternatives; ///< Each with the reason against it.

  /// `file:line: words`.
  std::string str() const;
  llvm::json::Value json() const;
};

/// Collects the diagnostics of a context during its lifetime: errors and warnings rendered with
/// their source line and a caret, remarks as one line each.
class Diagnostics {
public:
  Diagnostics(mlir::MLIRContext &context, std::string_view file, std::string_view text);
  ~Diagnostics();

  /// Everything except remarks.
  std::string text() const;
  /// The same as one Error, which says so if there is nothing.
  Error error() const;
  bool empty() const;
  /// Forgets everything except the remarks.
  void clear();

  /// In the order of the passes, without repetitions.
  const std::vector<Remark> &remarks() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Warns the user on standard error of a problem that does no harm. Each message is given once per
/// process.
void warnOnce(const std::string &message);

} // namespace tilewright::driver

#endif
