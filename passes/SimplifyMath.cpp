#include "passes/Passes.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SIMPLIFYMATH
#include "passes/Passes.h.inc"

namespace {
struct SimplifyMath : impl::SimplifyMathBase<SimplifyMath> {
  using SimplifyMathBase::SimplifyMathBase;
  void runOnOperation() override {}
};
} // namespace
} // namespace tilewright::passes
