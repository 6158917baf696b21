//===- StreamKey.cpp - Which launches cannot run at once ------------------===//

#include "runtime/StreamKey.h"

namespace tilewright::runtime {

/// Handles are given out again, and one stands for a stream per thread; drivers have had numbers
/// that are unique since CUDA 12. Of a stream that is being captured they must not be asked: the
/// capture would fail. Then its handle is unique, together with the graph's number.
StreamKey keyOf(const Driver &driver, Stream stream) {
  const DriverTable &api = driver.api();
  StreamKey key{0, reinterpret_cast<uintptr_t>(stream)};
  uint64_t number = 0;
  constexpr int kCapturing = 1;
  int status = 0;
  if (api.streamGetCaptureInfo &&
      api.streamGetCaptureInfo(stream, &status, &number, nullptr, nullptr, nullptr) ==
          kDriverSuccess &&
      status == kCapturing) {
    key.graph = number + 1;
    return key;
  }
  if (api.streamGetId && api.streamGetId(stream, &number) == kDriverSuccess)
    key.stream = number;
  return key;
}

} // namespace tilewright::runtime
