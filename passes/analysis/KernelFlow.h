//===- KernelFlow.h - what feeds what in a kernel ---------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_KERNELFLOW_H
#define TILEWRIGHT_PASSES_ANALYSIS_KERNELFLOW_H

#include "passes/analysis/KernelFacts.h"

namespace tilewright::passes {

/// Fills in what follows from the flow of data: reuse of streams, chains of products, the work of
/// loops and what they carry, and which ends TMA can store.
void readFlow(KernelFacts &facts, mlir::func::FuncOp kernel);

/// What stands behind a fact's line: "; alike along axis 1". Names are those of the source; without
/// them, only what has none is said.
std::string detailsOf(const Stream &stream);
std::string detailsOf(const ProductFact &product);
std::string detailsOf(const LoopFact &loop, bool withSource);
std::string detailsOf(const End &end);

} // namespace tilewright::passes

#endif
