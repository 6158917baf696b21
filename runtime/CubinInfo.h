//===- CubinInfo.h - Resources of a compiled kernel -------------*- C++ -*-===//

#pragma once

#include "runtime/LoopScan.h"
#include "support/ErrorOr.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// What one kernel of a cubin uses, read from the ELF file itself: no CUDA tool is needed.
struct CubinInfo {
  unsigned registers = 0;         ///< Per thread, before any setmaxnreg.
  unsigned frameBytes = 0;        ///< Local memory of the kernel's own frame, per thread.
  unsigned minStackBytes = 0;     ///< With the functions that it calls.
  unsigned staticSharedBytes = 0; ///< Per program, beside the dynamic part.
  ProductLoops productLoops;      ///< What happens in loops that multiply matrices.
};

/// Reads the resources of kernel `entry`. Fails if the bytes are no cubin or lack the kernel.
ErrorOr<CubinInfo> readCubinInfo(std::string_view cubin, std::string_view entry);

/// Spill traffic of one kernel, in bytes per thread, as ptxas reports it.
struct SpillInfo {
  unsigned storeBytes = 0;
  unsigned loadBytes = 0;
};

/// Finds the spills of kernel `entry` in the log of a compilation with `-Xptxas=-v`. Fails if the
/// log has no report on it.
ErrorOr<SpillInfo> parseSpills(std::string_view log, std::string_view entry);

/// The lines of a log in which ptxas says that it could not keep the kernel's schedule (codes C7500
/// to C7599: serialised wgmma, setmaxnreg ignored, …).
std::vector<std::string> performanceNotes(std::string_view log);

} // namespace tilewright::runtime
