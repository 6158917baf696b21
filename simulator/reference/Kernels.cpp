#include "simulator/reference/Kernels.h"

namespace tilewright::simulator {

static Kernels makePortable() {
  Kernels table = {};
  portable::addElementKernels(table);
  portable::addRowKernels(table);
  portable::addAxisKernels(table);
  portable::addDotKernels(table);
  return table;
}

static Kernels makeKernels() {
#ifdef TILEWRIGHT_SIMULATOR_V3
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    Kernels table = {};
    v3::addElementKernels(table);
    v3::addRowKernels(table);
    v3::addAxisKernels(table);
    v3::addDotKernels(table);
    return table;
  }
#endif
  return makePortable();
}

const Kernels &kernels() {
  static const Kernels table = makeKernels();
  return table;
}

} // namespace tilewright::simulator
