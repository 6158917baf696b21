#include "runtime/CacheFlusher.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::runtime;

constexpr unsigned kThreads = 256;
constexpr size_t kBlockBytes = kThreads * 16;

// A store that never happens keeps the load.
static constexpr const char *kText = R"(
extern "C" __global__ void read_all(uint4 *words) {
  uint4 *place = words + blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 word = *place;
  if ((word.x | word.y | word.z | word.w) != 0) {
    *place = make_uint4(0, 0, 0, 0);
  }
}
)";

ErrorOr<CacheFlusher> CacheFlusher::create(const Driver &driver, int device) {
  TILEWRIGHT_ASSIGN(const DeviceInfo *gpu, driver.device(device));
  size_t bytes = 2 * static_cast<size_t>(std::max(gpu->l2Bytes, 1 << 20));
  bytes = (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  TILEWRIGHT_ASSIGN(DeviceBuffer buffer, DeviceBuffer::allocate(driver, bytes, device));
  TILEWRIGHT_TRY(buffer.fill(0));
  auto source = std::make_unique<KernelSource>();
  source->entry = "read_all";
  source->text = kText;
  source->target = gpu->target();
  source->threads = kThreads;
  CacheFlusher result(std::move(buffer), std::move(source));
  TILEWRIGHT_ASSIGN(CompiledKernel compiled, compileKernel(*result.source));
  TILEWRIGHT_ASSIGN(result.kernel, LoadedKernel::load(driver, device, *result.source, compiled));
  return result;
}

Status CacheFlusher::flush(Stream stream) {
  void *words = buffer.data();
  void *params[] = {&words};
  return kernel->launch(stream, static_cast<unsigned>(buffer.size() / kBlockBytes), params);
}
