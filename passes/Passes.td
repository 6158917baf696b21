// The catalogue: every pass with its flag, its decisions, and an example. Pipeline.cpp has their
// order.
#ifndef TILEWRIGHT_PASSES
#define TILEWRIGHT_PASSES

include "passes/tile/TilePasses.td"
include "passes/plan/PlanPasses.td"
include "passes/check/CheckPasses.td"
include "passes/lower/LowerPasses.td"

#endif
