// NVRTC's functions: those that $FAKE_NVRTC_FAILS names fail, and the others do nothing. It says to
// be of version 13.0, and to know sm_90.
#include "runtime/Nvrtc.h"

#include <cstdlib>
#include <string_view>

using tilewright::runtime::NvrtcProgram;

static int result(std::string_view function) {
  const char *failing = std::getenv("FAKE_NVRTC_FAILS");
  return failing && function == failing;
}

extern "C" {
int nvrtcVersion(int *major, int *minor) {
  *major = 13, *minor = 0;
  return result("nvrtcVersion");
}
int nvrtcGetNumSupportedArchs(int *count) {
  *count = 1;
  return result("nvrtcGetNumSupportedArchs");
}
int nvrtcGetSupportedArchs(int *archs) {
  *archs = 90;
  return result("nvrtcGetSupportedArchs");
}
int nvrtcCreateProgram(NvrtcProgram *, const char *, const char *, int, const char *const *,
                       const char *const *) {
  return result("nvrtcCreateProgram");
}
int nvrtcDestroyProgram(NvrtcProgram *) { return result("nvrtcDestroyProgram"); }
int nvrtcCompileProgram(NvrtcProgram, int, const char *const *) {
  return result("nvrtcCompileProgram");
}
int nvrtcGetPTXSize(NvrtcProgram, size_t *) { return result("nvrtcGetPTXSize"); }
int nvrtcGetPTX(NvrtcProgram, char *) { return result("nvrtcGetPTX"); }
int nvrtcGetCUBINSize(NvrtcProgram, size_t *) { return result("nvrtcGetCUBINSize"); }
int nvrtcGetCUBIN(NvrtcProgram, char *) { return result("nvrtcGetCUBIN"); }
int nvrtcGetProgramLogSize(NvrtcProgram, size_t *) { return result("nvrtcGetProgramLogSize"); }
int nvrtcGetProgramLog(NvrtcProgram, char *) { return result("nvrtcGetProgramLog"); }
const char *nvrtcGetErrorString(int) { return "it fails"; }
}
