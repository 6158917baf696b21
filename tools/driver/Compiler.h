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
  Attempt attempt; ///< The configuration that was chosen.
  Outline outline;
  std::vector<Remark> remarks;
  int64_t minBlocks = 1; ///< Blocks per SM that the text leaves registers for.
};

/// A kernel at the `cuda` level, with everything that a launch needs except its text.
struct Lowered {
  KernelModule module;
  runtime::KernelSource source;
  Attempt attempt; ///< The configuration that was chosen.
  Outline outline;
};

/// Carries out the attempt's plan on a module. Without one, decides which programs a block runs.
Status carryOut(KernelModule &module, const Attempt &attempt,
                const KernelModule::PassObserver &observer = {});
/// The module of a kernel, with its plan carried out.
ErrorOr<KernelModule> loadModule(const KernelTextPtr &text, const Attempt &attempt);

/// Lowers with one configuration; fails as `translate` does.
ErrorOr<Lowered> lowerToCuda(const KernelTextPtr &text, const Attempt &attempt,
                             std::optional<Rejection> *rejection = nullptr);

/// Lowers with the first configuration that fits the target.
ErrorOr<Lowered> lowerFitting(const KernelTextPtr &text, const Attempt &wanted,
                              std::vector<std::string> *rejected = nullptr);

/// Translates with one configuration. Fails with a clear message if the tiles do not fit into the
/// target's shared memory or registers, and then sets `rejection`.
ErrorOr<Translated> translate(const KernelTextPtr &text, const Attempt &attempt,
                              std::optional<Rejection> *rejection = nullptr);

/// Translates with the first configuration that fits the target; `rejected` gets the reasons
/// against the others.
ErrorOr<Translated> translateFitting(const KernelTextPtr &text, const Attempt &wanted,
                                     std::vector<std::string> *rejected = nullptr);

/// Whether the machine code keeps the kernel's schedule (Acceptance.h). An error is in terms of the
/// configuration.
Status accept(const KernelText &text, const Translated &translated,
              const runtime::CompiledKernel &compiled);

/// A kernel that can be launched. Its remarks and its outline are not kept; `translate` with the
/// chosen attempt gives them again.
struct Compiled {
  Compiled(runtime::Kernel kernel, Attempt wanted, Attempt attempt)
      : kernel(std::move(kernel)), wanted(std::move(wanted)), attempt(std::move(attempt)) {}

  runtime::Kernel kernel;
  Attempt wanted;                    ///< The configuration that was asked for.
  Attempt attempt;                   ///< The configuration that was chosen.
  std::vector<std::string> rejected; ///< Configurations that did not fit, and why.
  int64_t loadedBytes = 0;           ///< By a program (Outline.h); not kept in the cache.
  bool reduces = false;              ///< Likewise.
  bool holdsRows = false;            ///< Likewise.
  bool loadsAhead = false;           ///< Likewise.
  RowLoop rowLoop;                   ///< Likewise.
};

/// Compiles, or takes the code from the cache on disk (CodeCache.h). Tries configurations until one
/// fits the target.
ErrorOr<Compiled> compile(const KernelTextPtr &text, const Attempt &wanted,
                          const runtime::CompileOptions &options = {});

/// Compiled kernels under everything that determines them, so that a repeated launch finds its code
/// without the compiler. Thread-safe: if two threads want the same kernel, it is compiled once.
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

/// A key of everything that determines the code of a kernel: its text, bound values, facts,
/// configuration.
std::string memoKey(const KernelText &text, const Attempt &attempt);

} // namespace tilewright::driver

#endif
