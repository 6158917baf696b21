//===- Time.h - the time of a launch: predicted, measured, and what a GPU allows --------------===//
#ifndef TILEWRIGHT_TOOLS_INSPECTOR_TIME_H
#define TILEWRIGHT_TOOLS_INSPECTOR_TIME_H

#include "tools/inspector/Inspection.h"

namespace tilewright::inspector {

/// Adds to a variant `predictions`, `refused`, `roofline` and `measured`, as far as they are known.
void addTime(const Subject &subject, const driver::Attempt &attempt,
             const ErrorOr<driver::Compiled> &compiled, llvm::json::Object &variant);

} // namespace tilewright::inspector

#endif
