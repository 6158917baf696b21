//===- MadeFunctions.h - device functions that are generated for a kernel ---------------------===//
//
// There is a form of TMA copies per rank, and one of wgmma per shape and type: too many for the
// prelude. For each form that a kernel uses, a function is generated between prelude and kernel.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_MADEFUNCTIONS_H
#define TILEWRIGHT_CODEGEN_MADEFUNCTIONS_H

#include "ir/cuda/Cuda.h"

#include <string>

namespace tilewright::codegen {

struct MadeFunction {
  std::string name;
  std::string text; ///< Its definition.
};

/// `tma_load_2d_multicast_hint(to, map, row, column, barrier, blocks, policy)`
MadeFunction tmaLoad(cuda::TmaLoadOp op);
/// `tma_store_2d(map, row, column, from)`
MadeFunction tmaStore(cuda::TmaStoreOp op);
/// `tma_reduce_add_2d(map, row, column, from)`
MadeFunction tmaReduceAdd(cuda::TmaReduceAddOp op);
/// `tma_prefetch_2d(map, row, column)`
MadeFunction tmaPrefetch(cuda::TmaPrefetchOp op);
/// `wgmma_m64n256k16_bf16(d, a, b, accumulate)`
MadeFunction wgmma(cuda::WgmmaOp op);

/// Whether a generated function may have this name. No value of a kernel gets such a name.
bool isMadeName(llvm::StringRef name);

} // namespace tilewright::codegen

#endif
