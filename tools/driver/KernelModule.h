//===- KernelModule.h - a kernel on its way down the levels -----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_KERNELMODULE_H
#define TILEWRIGHT_TOOLS_DRIVER_KERNELMODULE_H

#include "passes/Pipeline.h"
#include "passes/analysis/KernelFacts.h"
#include "simulator/Reference.h"
#include "tools/driver/Diagnostics.h"
#include "tools/driver/KernelText.h"

#include <functional>

namespace tilewright::codegen {
struct PlacedStatement;
} // namespace tilewright::codegen

namespace tilewright::driver {

/// The module of one specialised kernel with the context that owns it. One thread at a time.
class KernelModule {
public:
  /// The `tile` module from the front end, or the program of the `cta` level as it is written, with
  /// one of its plans.
  static ErrorOr<KernelModule>
  lower(KernelTextPtr text, const frontend::Specialisation &specialisation, size_t plan = 0);

  /// The ids that a plan for a kernel of the language can refer to, under the conditions of `plan`.
  /// Use it instead of `run`. The facts refer to the module.
  ErrorOr<passes::KernelFacts> facts(const passes::PipelineOptions &options, llvm::StringRef plan);

  /// Called after each pass that changed the kernel, with the pass's flag.
  using PassObserver = std::function<void(llvm::StringRef)>;
  /// Carries out a plan: turns a kernel of the language into a program of the `cta` level. To be
  /// called before `run`.
  Status carryOut(const passes::PipelineOptions &options, llvm::StringRef plan,
                  const PassObserver &observer = {});

  /// Runs the passes down to a level; from the `tile` level on it may run again. A program of the
  /// `cta` level is also compiled for the target of the options.
  Status run(const passes::PipelineOptions &options, passes::Stage upTo,
             const PassObserver &observer = {});

  /// Runs the kernel on the CPU before it is lowered: at the `tile` level, or the program of the
  /// `cta` level as it is written.
  ErrorOr<simulator::Statistics> interpret(llvm::ArrayRef<simulator::Argument> arguments,
                                           const simulator::Options &options = {});

  /// The CUDA C++ text, and where its statements begin (codegen/PrintCuda.h); at the `cuda` level
  /// only.
  ErrorOr<std::string> cudaText(bool sourceComments, bool lineDirectives,
                                std::vector<codegen::PlacedStatement> *statements = nullptr) const;

  /// Releases the module and the context that owns it.
  std::pair<std::unique_ptr<mlir::MLIRContext>, mlir::OwningOpRef<mlir::ModuleOp>> take() &&;

  /// The module as MLIR.
  std::string str() const;
  mlir::func::FuncOp kernel() const;
  const KernelText &text() const { return *source; }
  /// Errors and warnings since they were last cleared, as a compiler prints them.
  std::string messages() const { return diagnostics->text(); }
  void clearMessages() { diagnostics->clear(); }
  /// The remarks of the passes about their decisions.
  const std::vector<Remark> &remarks() const { return diagnostics->remarks(); }

private:
  explicit KernelModule(KernelTextPtr text);

  KernelTextPtr source;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<Diagnostics> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool isStated = false; // a program of the `cta` level
};

} // namespace tilewright::driver

#endif
