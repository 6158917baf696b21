//===- Compiler.h - from a kernel's text to machine code --------------------------------------===//
//
// Composes the layers. Nothing here needs a GPU; machine code needs NVRTC.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_COMPILER_H
#define TILEWRIGHT_TOOLS_DRIVER_COMPILER_H

#include "runtime/Kernel.h"
#include "tools/driver/Configs.h"
#include "tools/driver/KernelModule.h"
#include "tools/driver/Outline.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tilewright::driver {

/// CUDA text with all that a launch needs.
struct Translated {
  runtime::KernelSource source;
  Attempt attempt; ///< What was chosen.
  Outline outline;
  std::vector<Remark> remarks;
  int64_t minBlocks = 1; ///< Blocks per SM that the text leaves registers for.
};

/// A kernel at the `cuda` level with all that a launch needs but its text.
struct Lowered {
  KernelModule module;
  runtime::KernelSource source;
  Attempt attempt; ///< What was chosen.
  Outline outline;
};

/// Makes a module what the attempt's plan states, if there is one.
Status carryOut(KernelModule &module, const Attempt &attempt,
                const KernelModule::PassObserver &observer = {});
/// The module of a kernel, with its plan carried out.
ErrorOr<KernelModule> loadModule(const KernelTextPtr &text, const Attempt &attempt);

/// Lowers under one configuration; fails as `translate` does.
ErrorOr<Lowered> lowerToCuda(const KernelTextPtr &text, const Attempt &attempt,
                             std::optional<Rejection> *rejection = nullptr);

/// Lowers under the first configuration that the target holds.
ErrorOr<Lowered> lowerFitting(const KernelTextPtr &text, const Attempt &wanted,
                              std::vector<std::string> *rejected = nullptr);

/// Translates under one configuration. Fails with a clear message when the target's shared memory
/// or registers do not hold the tiles, which sets `rejection`.
ErrorOr<Translated> translate(const KernelTextPtr &text, const Attempt &attempt,
                              std::optional<Rejection> *rejection = nullptr);

/// Translates under the first configuration that the target holds; `rejected` gets why others were
/// not taken.
ErrorOr<Translated> translateFitting(const KernelTextPtr &text, const Attempt &wanted,
                                     std::vector<std::string> *rejected = nullptr);

/// Whether machine code is what the text says (Acceptance.h), and says so in the configuration's
/// terms.
Status accept(const KernelText &text, const Translated &translated,
              const runtime::CompiledKernel &compiled);

/// A kernel that can be launched. What was said on the way and its outline are not kept:
/// `translate` of the attempt that was chosen gives them.
struct Compiled {
  Compiled(runtime::Kernel kernel, Attempt wanted, Attempt attempt)
      : kernel(std::move(kernel)), wanted(std::move(wanted)), attempt(std::move(attempt)) {}

  runtime::Kernel kernel;
  Attempt wanted;                    ///< What was asked for.
  Attempt attempt;                   ///< What was chosen.
  std::vector<std::string> rejected; ///< Configurations that did not fit, and why.
};

/// Compiles, or takes what was compiled before from the cache on disk (CodeCache.h): tries
/// configurations until one fits the target.
ErrorOr<Compiled> compile(const KernelTextPtr &text, const Attempt &wanted,
                          const runtime::CompileOptions &options = {});

/// Compiled kernels by everything that determines them, so that a repeated launch finds its code
/// without touching the compiler. Thread-safe; two threads that want one kernel compile it once.
class Memo {
public:
  using Result = std::shared_ptr<ErrorOr<Compiled>>;

  /// The kernel for `wanted`; failures are remembered too.
  Result get(const KernelTextPtr &text, const Attempt &wanted);

private:
  struct Entry {
    std::once_flag once;
    Result result;
  };
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries;
};

/// Stands for what determines the code of a kernel: its text, bound values, facts, configuration.
std::string memoKey(const KernelText &text, const Attempt &attempt);

} // namespace tilewright::driver

#endif
