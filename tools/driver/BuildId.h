//===- BuildId.h - which build of the compiler this is ----------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_BUILDID_H
#define TILEWRIGHT_TOOLS_DRIVER_BUILDID_H

#include <string>

namespace tilewright::driver {

/// The id that the linker gave to the program or library that the compiler is a part of, a hash of
/// its contents: another compiler has another. Empty if the linker gave none.
const std::string &buildId();

} // namespace tilewright::driver

#endif
