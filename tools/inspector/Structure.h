//===- Structure.h - how a block runs a kernel ------------------------------------------------===//
//
// Roles, channels, shared memory and the layouts of tiles, read from a kernel at the end of the
// `cta` level, as JSON for the page (docs/inspector.md).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_INSPECTOR_STRUCTURE_H
#define TILEWRIGHT_TOOLS_INSPECTOR_STRUCTURE_H

#include "ir/cta/Cta.h"
#include "tools/driver/Outline.h"

#include "llvm/Support/JSON.h"

namespace tilewright::inspector {

/// The line of an op in the kernel's text; 0 if it has none there.
int64_t lineOf(mlir::Location location, llvm::StringRef file);
/// The name of the tensor that an op loads, stores or copies; empty if there is none.
std::string tensorOf(mlir::Operation *op, mlir::func::FuncOp kernel);

/// What the warps of each role do, step by step; a kernel without roles is one role.
llvm::json::Array rolesJson(mlir::func::FuncOp kernel, llvm::StringRef file);
llvm::json::Array channelsJson(mlir::func::FuncOp kernel, llvm::StringRef file);
/// The parts of shared memory at their addresses.
llvm::json::Array sharedJson(mlir::func::FuncOp kernel, const driver::Outline &outline);
/// The different layouts of register tiles.
llvm::json::Array layoutsJson(mlir::func::FuncOp kernel, llvm::StringRef file);

/// Where elements lie in a slot, and back; `places` computes with the result.
llvm::json::Object placeJson(cta::ChannelOp channel);
llvm::json::Object layoutJson(const Layout &layout);

} // namespace tilewright::inspector

#endif
