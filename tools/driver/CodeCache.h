//===- CodeCache.h - compiled kernels and found plans on disk ---------------------------------===//
//
// Stores what a kernel was compiled to, and which plan a launch took, under everything that they
// depend on: the kernel's text, what is bound, the configuration, NVRTC, and the build of the
// compiler. If there is an entry, nothing is lowered and NVRTC is not opened. An entry that is
// missing, damaged or of another compiler is a miss. Trouble with writing is silent, since it only
// costs time. An entry that cannot be trusted is a miss with a warning.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_CODECACHE_H
#define TILEWRIGHT_TOOLS_DRIVER_CODECACHE_H

#include "tools/driver/Compiler.h"

namespace tilewright::driver {

class CodeCache {
public:
  explicit CodeCache(const runtime::CompileOptions &options = {});

  /// The compiled code of `wanted`.
  std::optional<Compiled> load(const KernelText &text, const Attempt &wanted) const;
  void store(const KernelText &text, const Compiled &compiled) const;

  /// The numbers by which launches may take different plans. An empty one is for all launches: no
  /// plan is found for any of them.
  using Launch = llvm::ArrayRef<int64_t>;

  /// The plan that a launch finally took; empty if that was the choice of the passes.
  std::optional<std::string> loadPlan(const KernelText &text, const Attempt &wanted,
                                      Launch launch) const;
  void storePlan(const KernelText &text, const Attempt &wanted, Launch launch,
                 const std::string &plan) const;

private:
  std::optional<runtime::Archive> read(const Hash128 &key) const;
  Hash128 keyOf(std::string_view kind, const KernelText &text, const Attempt &wanted,
                Launch launch = {}) const;

  std::optional<runtime::Cache> cache; ///< None if it is switched off.
  std::string circumstances;           ///< The part that all keys have in common.
};

} // namespace tilewright::driver

#endif
