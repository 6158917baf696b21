// A kernel of one's own, on the CPU and, where there is one, on a GPU. With a file's name it saves
// the kernel as well, for run_saved.
#include <tilewright/Gpu.h>
#include <tilewright/Kernel.h>
#include <tilewright/Version.h>

#include <cstdio>

using tilewright::ElementType;
using tilewright::ErrorOr;
using tilewright::GpuMemory;
using tilewright::Kernel;
using tilewright::Status;
using tilewright::Tensor;

static constexpr const char *kText = R"(
from tilewright import *

N = dims("N")

@kernel
def saxpy(x: Tensor[f32, N], y: Tensor[f32, N], a: f32, *, BN: tune[1024, 2048] = 1024):
    items = block(grid(cdiv(N, BN)), BN)
    y[items] = a * x[items] + y[items]
)";

static constexpr int64_t kLength = 5000;
static constexpr double kFactor = 3;

struct Vectors {
  std::vector<float> x = std::vector<float>(kLength), y = std::vector<float>(kLength);

  Vectors() {
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = float(i);
      y[i] = 1;
    }
  }
  bool hold() const {
    for (size_t i = 0; i < y.size(); ++i)
      if (y[i] != float(kFactor) * float(i) + 1)
        return false;
    return true;
  }
};

static Status runOnCpu(const Kernel &kernel) {
  Vectors vectors;
  TILEWRIGHT_TRY(
      kernel.interpret({Tensor{vectors.x.data(), ElementType::F32, {kLength}},
                        Tensor{vectors.y.data(), ElementType::F32, {kLength}}, kFactor}));
  std::printf("CPU: %s\n", vectors.hold() ? "right" : "WRONG");
  return {};
}

static Status runOnGpu(const Kernel &kernel) {
  if (tilewright::gpuCount() == 0) {
    std::printf("GPU: none\n");
    return {};
  }
  Vectors vectors;
  constexpr size_t kBytes = kLength * sizeof(float);
  TILEWRIGHT_ASSIGN(GpuMemory x, GpuMemory::allocate(kBytes));
  TILEWRIGHT_ASSIGN(GpuMemory y, GpuMemory::allocate(kBytes));
  TILEWRIGHT_TRY(x.copyFrom(vectors.x.data(), kBytes));
  TILEWRIGHT_TRY(y.copyFrom(vectors.y.data(), kBytes));
  constexpr int kGpu = 0;
  TILEWRIGHT_TRY(kernel.launch(/*stream=*/nullptr,
                               {Tensor{x.data(), ElementType::F32, {kLength}, kGpu},
                                Tensor{y.data(), ElementType::F32, {kLength}, kGpu}, kFactor}));
  TILEWRIGHT_TRY(y.copyTo(vectors.y.data(), kBytes));
  std::printf("GPU: %s\n", vectors.hold() ? "right" : "WRONG");
  return {};
}

/// What is saved relies on the alignment of the arguments, which `Tensor::data` tells; null has
/// any.
static Status save(const Kernel &kernel, const char *path) {
  Tensor vector{nullptr, ElementType::F32, {kLength}};
  TILEWRIGHT_TRY(kernel.save(path, {vector, vector, kFactor}));
  std::printf("saved\n");
  return {};
}

static Status run(const char *path) {
  TILEWRIGHT_ASSIGN(Kernel kernel, Kernel::fromText(kText, "saxpy"));
  TILEWRIGHT_TRY(runOnCpu(kernel));
  TILEWRIGHT_TRY(runOnGpu(kernel));
  return path ? save(kernel, path) : Status();
}

int main(int argc, char **argv) {
  std::printf("Tilewright %s\n", tilewright::version());
  Status status = run(argc > 1 ? argv[1] : nullptr);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.error().message.c_str());
  return status ? 0 : 1;
}
