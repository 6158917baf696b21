//===- BuildId.h - the build of the compiler --------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_BUILDID_H
#define TILEWRIGHT_TOOLS_DRIVER_BUILDID_H

#include <string>

namespace tilewright::driver {

/// The id that the linker gave to the program or library with the compiler, a hash of its contents.
/// It differs for every other compiler. Empty if the linker gave none.
const std::string &buildId();

} // namespace tilewright::driver

#endif
