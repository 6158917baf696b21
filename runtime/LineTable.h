//===- LineTable.h - Lines that machine code comes from ---------*- C++ -*-===//
//
// A compilation with `-lineinfo` leaves a table in the cubin (`.debug_line`, DWARF 2) which says
// from which line of which file each instruction comes. NVIDIA adds to it from where a function was
// inlined.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// The line of `file` that each instruction of kernel `entry` comes from, where a function was
/// inlined the line of the call; of `file` its last part counts. 0 where code comes from elsewhere.
/// Empty if the cubin, which has one kernel, does not say.
std::vector<unsigned> linesOf(std::string_view cubin, std::string_view entry,
                              std::string_view file);

} // namespace tilewright::runtime
