#include "passes/Passes.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SPLITMASKEDLOOPS
#include "passes/Passes.h.inc"

namespace {
struct SplitMaskedLoops : impl::SplitMaskedLoopsBase<SplitMaskedLoops> {
  using SplitMaskedLoopsBase::SplitMaskedLoopsBase;
  void runOnOperation() override {}
};
} // namespace
} // namespace tilewright::passes
