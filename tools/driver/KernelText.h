//===- KernelText.h - a kernel as its user wrote it -------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_KERNELTEXT_H
#define TILEWRIGHT_TOOLS_DRIVER_KERNELTEXT_H

#include "frontend/Frontend.h"
#include "runtime/PlanChoice.h"
#include "support/ErrorOr.h"
#include "support/Hash.h"

#include <memory>
#include <string>
#include <string_view>

namespace tilewright::driver {

struct KernelText;
using KernelTextPtr = std::shared_ptr<const KernelText>;

/// One kernel of a parsed file, in the language or on the `cta` level, or the gradient of one;
/// immutable, shared between threads.
struct KernelText {
  std::string file; ///< The name of the text in messages.
  std::string text;
  std::string kernel;
  /// Hash of these three, and of the names that the text captures.
  Hash128 hash;
  Hash128 contents; ///< The same without the name of the file, so that moving the file does not
                    ///< change it.
  bool builtin = false;
  std::shared_ptr<const frontend::Program> program; ///< Of a kernel in the language.
  /// For a gradient: the kernel that was differentiated (Gradient.h).
  KernelTextPtr forward;
  /// The signature of a gradient or of a program of the `cta` level; for the latter also the target
  /// that it is written for.
  frontend::Signature stated;
  std::string target;
  /// Chooses the plan of a launch; a kernel in the language has one.
  runtime::PlanChoice plans;

  bool isCta() const { return !program; }
  const frontend::Signature &signature() const {
    return isCta() || forward ? stated : *program->signature(kernel);
  }
  /// Line `line` of the text, counted from 1; empty beyond its end.
  std::string_view line(unsigned line) const;
};

/// A built-in kernel by its name, `file.py[:kernel]` or `file.mlir` (docs/cta.md); the kernel may
/// be left out of a file that has one kernel, or one named as the file.
ErrorOr<KernelTextPtr> loadKernel(std::string_view what);

/// A built-in kernel in which functions of other texts replace names that it leaves open.
ErrorOr<KernelTextPtr> loadBuiltin(std::string_view name,
                                   const std::vector<frontend::Borrowed> &functions = {});

/// The `@inline` functions of a text in memory, to be borrowed from.
ErrorOr<std::shared_ptr<const frontend::Program>>
loadFunctions(const std::string &text, const std::string &file, const frontend::Captured &captured);

/// A kernel of a text in memory. The ending of `file` says which kind of text it is. An empty
/// `kernel` stands for the only one, or that of the file's name. `captured` are names that the text
/// uses without declaring them.
ErrorOr<KernelTextPtr> loadKernelText(std::string text, std::string file, std::string_view kernel,
                                      const frontend::Captured &captured = {});

} // namespace tilewright::driver

#endif
