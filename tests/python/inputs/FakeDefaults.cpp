// Every function of the CUDA driver, doing nothing, for what FakeCuda.cpp does not define.
#include "runtime/DriverTypes.h"

using namespace tilewright::runtime;

#define TILEWRIGHT_DRIVER_FUNCTION(member, symbol, parameters)                                     \
  extern "C" __attribute__((weak)) DriverResult fake_##member parameters asm(symbol);              \
  DriverResult fake_##member parameters { return kDriverSuccess; }
#include "runtime/DriverFunctions.def"
