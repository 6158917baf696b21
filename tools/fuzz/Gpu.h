//===- Gpu.h - the GPU as one of the executors ------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_GPU_H
#define TILEWRIGHT_TOOLS_FUZZ_GPU_H

#include "support/ErrorOr.h"

#include <string>

namespace tilewright::fuzz {

struct Gpu {
  std::string name;
  std::string target; ///< `sm_90`.

  /// What to compile for, so that this GPU runs what is generated for a target: its own machine
  /// code, or for an older target PTX. Empty for a target that it cannot run.
  std::string runs(const std::string &target) const;
};

/// The GPU of this machine; the error says what is missing. Asks in a process of its own: the
/// driver, once opened, does not work in the processes forked later.
ErrorOr<Gpu> findGpu();

} // namespace tilewright::fuzz

#endif
