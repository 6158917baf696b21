//===- Listing.h - machine code for people to read --------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_LISTING_H
#define TILEWRIGHT_TOOLS_DRIVER_LISTING_H

#include "tools/driver/KernelText.h"

namespace tilewright::driver {

/// PTX from a compilation with `-lineinfo`, with the kernel's source lines as comments in place of
/// the debugger's directives. `lines` gets the kernel's line of each line of the result, 0 where it
/// has none.
std::string annotatePtx(const std::string &ptx, const KernelText &text,
                        std::vector<unsigned> *lines = nullptr);

/// The machine code of a cubin, by NVIDIA's own disassembler.
ErrorOr<std::string> disassemble(const std::string &cubin);

} // namespace tilewright::driver

#endif
