//===- DisjointTiles.h - whether accesses ever meet -------------------------------------------===//
//
// An access in a kernel stands for many: one of each program, and of each iteration of the loops
// around it. Along an axis of the view it takes the elements from `Σ stride · symbol` on, where a
// symbol is a program's coordinate or a loop's counter. If each stride is at least what the smaller
// ones can span, as the digits of a number are, then different symbols give different elements.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_DISJOINTTILES_H
#define TILEWRIGHT_PASSES_ANALYSIS_DISJOINTTILES_H

#include "passes/analysis/Accesses.h"

namespace tilewright::passes {

struct Disjoint {
  bool programs = false;   // no two programs touch one element
  bool iterations = false; // no two iterations of the loops around the access do
};

/// What is proven of an access at the `tile` level.
Disjoint disjointTiles(const Access &access);

/// Whether no two programs touch one element, one by an access and the other by another.
bool areApartInPrograms(const Access &a, const Access &b);

/// Whether two accesses to one tensor never meet, because along an axis they are apart in every
/// program.
bool areApart(const Access &a, const Access &b);

} // namespace tilewright::passes

#endif
