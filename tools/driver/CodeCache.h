//===- CodeCache.h - compiled kernels and found plans on disk ---------------------------------===//
//
// Keeps what a kernel was compiled to, and which plan a launch took, by all that they depend on:
// the kernel's text, what is bound, the configuration, NVRTC, and the build of the compiler. Where
// an entry is found, nothing is lowered and NVRTC is not opened. One that is missing, damaged or of
// another compiler is a miss, and trouble with writing is silent: it costs time alone. One that is
// not to be trusted is a miss that is told.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_CODECACHE_H
#define TILEWRIGHT_TOOLS_DRIVER_CODECACHE_H

#include "tools/driver/Compiler.h"

namespace tilewright::driver {

class CodeCache {
public:
  explicit CodeCache(const runtime::CompileOptions &options = {});

  /// What `wanted` was compiled to.
  std::optional<Compiled> load(const KernelText &text, const Attempt &wanted) const;
  void store(const KernelText &text, const Compiled &compiled) const;

  /// What tells launches apart that may take different plans. An empty one stands for all: that no
  /// plan is found for any of them.
  using Launch = llvm::ArrayRef<int64_t>;

  /// The plan that a launch took in the end; empty where that was the choice of the passes.
  std::optional<std::string> loadPlan(const KernelText &text, const Attempt &wanted,
                                      Launch launch) const;
  void storePlan(const KernelText &text, const Attempt &wanted, Launch launch,
                 const std::string &plan) const;

private:
  std::optional<runtime::Archive> read(const Hash128 &key) const;
  Hash128 keyOf(std::string_view kind, const KernelText &text, const Attempt &wanted,
                Launch launch = {}) const;

  std::optional<runtime::Cache> cache; ///< None: it is switched off.
  std::string circumstances;           ///< What all keys depend on.
};

} // namespace tilewright::driver

#endif
