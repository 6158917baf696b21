//===- Say.h - plans and predictions in words -------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_SAY_H
#define TILEWRIGHT_PLANNER_SAY_H

#include "planner/Predict.h"

namespace tilewright::planner {

/// What distinguishes a plan from others for its kernel: "BM 128, BN 256, BK 64; 8 warps, split
/// l1".
std::string titleOf(const passes::Plan &plan);

/// "1.50 ms: products 1.32, L2 0.95, memory 0.24; blocks busy 0.99"
std::string str(const Prediction &predicted);

/// The busiest unit, on which most of the time is spent: "products", "arithmetic", "L2", "memory".
llvm::StringRef criticalPathOf(const Prediction &predicted);

} // namespace tilewright::planner

#endif
