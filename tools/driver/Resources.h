//===- Resources.h - the resources of a compiled kernel ---------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_RESOURCES_H
#define TILEWRIGHT_TOOLS_DRIVER_RESOURCES_H

#include "tools/driver/Compiler.h"

namespace tilewright::driver {

/// How many programs fit on a multiprocessor at a time.
struct Occupancy {
  int64_t programs = 0, threads = 0;
  std::string limit; ///< The resource that limits it.
};

struct Resources {
  std::string configuration; ///< As Attempt::str.
  unsigned threads = 0;      ///< Per program.
  unsigned sharedBytes = 0;  ///< Per program, static and dynamic.
  bool hasMachineCode = false;
  // Per thread; only with machine code.
  unsigned registers = 0, spillStoreBytes = 0, spillLoadBytes = 0, localBytes = 0;
  Occupancy occupancy;
};

Resources resourcesOf(const KernelText &text, const Compiled &compiled);

} // namespace tilewright::driver

#endif
