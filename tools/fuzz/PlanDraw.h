//===- PlanDraw.h - random plans --------------------------------------------------------------===//
//
// A plan is drawn from what it can be about: the numbers of a kernel's streams, products, loops and
// ends. Most plans are such as a person might write, which run or ask too much of a pass; some are
// then spoilt in one place or two, and have to be refused.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_PLANDRAW_H
#define TILEWRIGHT_TOOLS_FUZZ_PLANDRAW_H

#include "passes/analysis/KernelFacts.h"
#include "passes/plan/Plan.h"
#include "tools/fuzz/Choices.h"

namespace tilewright::fuzz {

/// Draws the rest of a plan that has its kernel, target, conditions and tiles. `axes` are those of
/// the kernel's grid.
void drawPlan(Choices &choices, const passes::KernelFacts &facts, int64_t axes, passes::Plan &plan);

/// Makes a plan wrong in one place: what is stated is changed, left out or said twice. Plans that
/// are still right may come out.
void spoilPlan(Choices &choices, passes::Plan &plan);

} // namespace tilewright::fuzz

#endif
