// Each instruction by itself. CtaProductOps.cpp checks products by these answers.
#include "ir/cta/Cta.h"

#include "ir/cta/CtaInterfaces.cpp.inc"

using namespace tilewright;
using namespace tilewright::cta;
using llvm::ArrayRef;

int64_t cta::warpsOf(Issuer issuer) { return issuer == Issuer::Warpgroup ? kWarpsPerWarpgroup : 1; }

InstructionAttrInterface cta::instructionOf(mlir::MLIRContext *context, const ProductForm &form) {
  switch (form.unit) {
  case ProductUnit::Fma:
    return FmaAttr::get(context);
  case ProductUnit::MmaSync:
    return MmaSyncAttr::get(context, form.m, form.n, form.k);
  case ProductUnit::Wgmma:
    return WgmmaAttr::get(context, form.m, form.n, form.k);
  }
  llvm_unreachable("all units are handled");
}

//===- Multiply-adds --------------------------------------------------------------------------===//

ProductUnit FmaAttr::getUnit() const { return ProductUnit::Fma; }
std::array<int64_t, 3> FmaAttr::getShape() const { return {1, 1, 1}; }
Issuer FmaAttr::getIssuer() const { return Issuer::EachThread; }
bool FmaAttr::isAsynchronous() const { return false; }
unsigned FmaAttr::getLeftPlaces() const { return 0; } // its threads load from slots
unsigned FmaAttr::getRightPlaces() const { return 0; }
Place FmaAttr::getSumPlace() const { return InRegisters; }

Layout FmaAttr::getSumLayout(ArrayRef<int64_t> tile, ArrayRef<int64_t> split, int64_t warps) const {
  return Layout::threadTile(tile[0], tile[1], split[0], split[1], warps);
}

Layout FmaAttr::getLeftLayout(ArrayRef<int64_t>, ArrayRef<int64_t>, int64_t) const {
  llvm_unreachable("its operands are in slots (C9 of cta.mma)");
}

//===- mma.sync -------------------------------------------------------------------------------===//

ProductUnit MmaSyncAttr::getUnit() const { return ProductUnit::MmaSync; }
std::array<int64_t, 3> MmaSyncAttr::getShape() const { return {getM(), getN(), getK()}; }
Issuer MmaSyncAttr::getIssuer() const { return Issuer::Warp; }
bool MmaSyncAttr::isAsynchronous() const { return false; }
unsigned MmaSyncAttr::getLeftPlaces() const { return InRegisters; }
unsigned MmaSyncAttr::getRightPlaces() const { return InRegisters; }
Place MmaSyncAttr::getSumPlace() const { return InRegisters; }

Layout MmaSyncAttr::getSumLayout(ArrayRef<int64_t> tile, ArrayRef<int64_t> split,
                                 int64_t warps) const {
  return Layout::mmaAccumulator(tile[0], tile[1], split[0], split[1], warps, getM());
}

Layout MmaSyncAttr::getLeftLayout(ArrayRef<int64_t> tile, ArrayRef<int64_t> split,
                                  int64_t warps) const {
  return Layout::mmaOperandA(tile[0], tile[1], getK(), split[0], split[1], warps);
}

//===- wgmma ----------------------------------------------------------------------------------===//

ProductUnit WgmmaAttr::getUnit() const { return ProductUnit::Wgmma; }
std::array<int64_t, 3> WgmmaAttr::getShape() const { return {getM(), getN(), getK()}; }
Issuer WgmmaAttr::getIssuer() const { return Issuer::Warpgroup; }
bool WgmmaAttr::isAsynchronous() const { return true; }
unsigned WgmmaAttr::getLeftPlaces() const { return InRegisters | InShared; }
unsigned WgmmaAttr::getRightPlaces() const { return InShared; }
Place WgmmaAttr::getSumPlace() const { return InRegisters; }

Layout WgmmaAttr::getSumLayout(ArrayRef<int64_t> tile, ArrayRef<int64_t> split, int64_t) const {
  return Layout::wgmmaAccumulator(tile[0], tile[1], split[0] / kWarpsPerWarpgroup, split[1]);
}

Layout WgmmaAttr::getLeftLayout(ArrayRef<int64_t> tile, ArrayRef<int64_t> split, int64_t) const {
  return Layout::wgmmaOperandA(tile[0], tile[1], split[0] / kWarpsPerWarpgroup, split[1]);
}
