//===- GradientPasses.h - the pass that differentiates ----------------------------------------===//
#ifndef TILEWRIGHT_PASSES_GRADIENT_GRADIENTPASSES_H
#define TILEWRIGHT_PASSES_GRADIENT_GRADIENTPASSES_H

#include "passes/Passes.h"

namespace tilewright::passes {

#define GEN_PASS_DECL
#include "passes/GradientPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/GradientPasses.h.inc"

} // namespace tilewright::passes

#endif
