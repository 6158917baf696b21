//===- Diagnostics.h - the compiler's messages as text ----------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_DIAGNOSTICS_H
#define TILEWRIGHT_TOOLS_DRIVER_DIAGNOSTICS_H

#include "support/ErrorOr.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::driver {

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

  /// `file:line: words` of each remark, in the order of the passes, each once.
  const std::vector<std::string> &remarks() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilewright::driver

#endif
