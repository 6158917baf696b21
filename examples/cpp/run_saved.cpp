// Runs what saxpy saved. It needs the NVIDIA driver and no compiler.
#include <tilewright/Bundle.h>
#include <tilewright/Gpu.h>

#include <cstdio>

using namespace tilewright;

static Status run(const char *path) {
  TILEWRIGHT_ASSIGN(Bundle kernel, Bundle::load(path));
  std::printf("%s for %s\n", kernel.name().c_str(), kernel.target().c_str());
  if (gpuCount() == 0) {
    std::printf("GPU: none\n");
    return {};
  }
  std::vector<float> x(5000, 2), y(5000, 1);
  size_t bytes = x.size() * sizeof(float);
  TILEWRIGHT_ASSIGN(GpuMemory onGpu, GpuMemory::allocate(2 * bytes));
  auto *second = static_cast<float *>(onGpu.data()) + x.size();
  x.insert(x.end(), y.begin(), y.end());
  TILEWRIGHT_TRY(onGpu.copyFrom(x.data(), 2 * bytes));
  TILEWRIGHT_TRY(kernel.launch(/*stream=*/nullptr,
                               {Tensor{onGpu.data(), ElementType::F32, {5000}, /*device=*/0},
                                Tensor{second, ElementType::F32, {5000}, /*device=*/0}, 3.0}));
  TILEWRIGHT_TRY(onGpu.copyTo(x.data(), 2 * bytes));
  std::printf("GPU: %s\n", x.back() == 7 ? "right" : "WRONG");
  return {};
}

int main(int argc, char **argv) {
  if (argc != 2)
    return std::fprintf(stderr, "usage: run_saved FILE\n"), 2;
  Status status = run(argv[1]);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.error().message.c_str());
  return status ? 0 : 1;
}
