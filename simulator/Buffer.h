//===- Buffer.h - allocations in global memory ------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_BUFFER_H
#define TILEWRIGHT_SIMULATOR_BUFFER_H

#include "mlir/IR/Types.h"

#include <cstdint>

namespace tilewright::simulator {

/// An allocation in global memory. Arguments that share memory must share the Buffer.
struct Buffer {
  mlir::Type elementType;
  void *data = nullptr;
  int64_t elements = 0; // what is allocated; any access beyond is an error
  bool initialized =
      true; // when false, reading an element that the program did not write is an error
};

} // namespace tilewright::simulator

#endif
