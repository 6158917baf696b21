#include "passes/Passes.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_PADTILES
#include "passes/Passes.h.inc"

namespace {
struct PadTiles : impl::PadTilesBase<PadTiles> {
  using PadTilesBase::PadTilesBase;
  void runOnOperation() override {}
};
} // namespace
} // namespace tilewright::passes
