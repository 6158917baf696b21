//===- KernelFlow.h - the flow of data through a kernel ---------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_KERNELFLOW_H
#define TILEWRIGHT_PASSES_ANALYSIS_KERNELFLOW_H

#include "passes/analysis/KernelFacts.h"

namespace tilewright::passes {

/// Adds what the flow of data shows: reuse of streams, chains of products, work and carried values
/// of loops, and the stores that TMA can make.
void readFlow(KernelFacts &facts, mlir::func::FuncOp kernel);

/// The text behind a fact's line: "; alike along axis 1". Names are those of the source; without
/// them, anything that has a name is left out.
std::string detailsOf(const Stream &stream);
std::string detailsOf(const ProductFact &product);
std::string detailsOf(const LoopFact &loop, bool withSource);
std::string detailsOf(const End &end);

} // namespace tilewright::passes

#endif
