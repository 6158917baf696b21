//===- Schedule.h - kernels written on the cta level ------------------------------------------===//
//
// A kernel as a text of MLIR that states its roles, channels and the order of its products
// (docs/cta.md). Layouts, barriers and instructions are derived.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_SCHEDULE_H
#define TILEWRIGHT_TOOLS_DRIVER_SCHEDULE_H

#include "runtime/KernelSource.h"
#include "support/ErrorOr.h"
#include "tools/driver/ScheduleOutline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::driver {

struct Schedule {
  std::string file; ///< What messages call it.
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< The kernel at the `cuda` level.
  runtime::KernelSource source;             ///< With its text.
  ScheduleOutline outline;                  ///< Of the kernel as it was written.
  std::vector<std::string> remarks;         ///< What the passes said.

  mlir::func::FuncOp kernel() const;
};

/// Lowers the one kernel of a text; `file` is what messages call it. Values keep their names.
ErrorOr<Schedule> lowerSchedule(const std::string &text, const std::string &file);

/// The CUDA text for a reader: lines of the program's `text` as comments, and no directives.
std::string cudaListing(const Schedule &schedule, const std::string &text);

} // namespace tilewright::driver

#endif
