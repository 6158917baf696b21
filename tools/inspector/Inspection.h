//===- Inspection.h - everything that is known of a kernel, as data ---------------------------===//
//
// The data behind the page that `tilewright inspect` writes. docs/inspector.md has the schema.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_INSPECTOR_INSPECTION_H
#define TILEWRIGHT_TOOLS_INSPECTOR_INSPECTION_H

#include "planner/Predict.h"
#include "tools/driver/Compiler.h"
#include "tools/driver/Tuner.h"

#include "llvm/Support/JSON.h"

namespace tilewright::inspector {

/// A kernel as it is to be compiled, and the launch that it is for.
struct Subject {
  driver::KernelTextPtr text;
  driver::Attempt wanted;
  planner::Launch launch = {}; ///< Without `valueOf`: no sizes are known.
  std::string title = {};      ///< Of several variants; empty: made from target and plan.
  /// Runs code on a GPU, on arguments like those of the launch; empty where that cannot be done.
  std::function<ErrorOr<driver::Timed>(const runtime::Kernel &)> time = {};
};

/// A variant of the page: texts with their places, structure, decisions. Fails only where the
/// kernel does not compile to CUDA; what needs NVRTC says why it is missing.
ErrorOr<llvm::json::Object> variantOf(const Subject &subject);

/// The page's data for some variants of one kernel.
llvm::json::Object inspectionOf(const driver::KernelText &text, const planner::Launch &launch,
                                std::vector<llvm::json::Object> variants);

} // namespace tilewright::inspector

#endif
