// Times the programs of this folder: `hopper_bench [--repeat n] [program.mlir M N K]…` prints a
// JSON object per program and size, medians with the L2 cache emptied before each launch.
#include "runtime/Kernel.h"
#include "support/Files.h"
#include "tests/hopper/DeviceMatrix.h"
#include "tests/hopper/Program.h"
#include "tools/driver/Acceptance.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <span>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

constexpr int kWarmUp = 5;

struct Case {
  std::string program;
  int64_t M, N, K;
};

/// The milliseconds of each launch.
ErrorOr<std::vector<double>> timeLaunches(const Driver &driver, Kernel &kernel,
                                          std::span<const Argument> arguments, int repeat) {
  TILEWRIGHT_ASSIGN(OwnedStream stream, OwnedStream::create(driver));
  TILEWRIGHT_ASSIGN(CacheFlusher flusher, CacheFlusher::create(driver));
  TILEWRIGHT_ASSIGN(Event start, Event::create(driver));
  TILEWRIGHT_ASSIGN(Event stop, Event::create(driver));
  std::vector<double> times;
  for (int i = 0; i < kWarmUp + repeat; ++i) {
    TILEWRIGHT_TRY(flusher.flush(stream.get()));
    TILEWRIGHT_TRY(start.record(stream.get()));
    TILEWRIGHT_TRY(kernel.launch(stream.get(), arguments));
    TILEWRIGHT_TRY(stop.record(stream.get()));
    TILEWRIGHT_ASSIGN(double milliseconds, stop.millisecondsSince(start));
    if (i >= kWarmUp)
      times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  return times;
}

Status timeGemm(const Driver &driver, const Case &job, int repeat) {
  using hopper::DeviceMatrix;
  DeviceMatrix a(driver, ElementType::BF16, job.M, job.K),
      b(driver, ElementType::BF16, job.N, job.K);
  DeviceMatrix c(driver, ElementType::BF16, job.M, job.N);
  a.fill(1);
  b.fill(2);
  KernelSource source = hopper::scheduleSource(job.program);
  TILEWRIGHT_ASSIGN(Kernel kernel, Kernel::build(source, {}));
  TILEWRIGHT_TRY(driver::checkSchedule(source, kernel.compiled().performanceNotes));
  std::vector<Argument> arguments = {a.ref(), b.ref(), c.ref()};
  TILEWRIGHT_ASSIGN(std::vector<double> times, timeLaunches(driver, kernel, arguments, repeat));
  double median = times[times.size() / 2];
  fmt::print("{{\"program\": \"{}\", \"M\": {}, \"N\": {}, \"K\": {}, \"median_ms\": {:.5f}, "
             "\"min_ms\": {:.5f}, \"tflops\": {:.1f}, \"registers\": {}}}\n",
             job.program, job.M, job.N, job.K, median, times.front(),
             2e-9 * double(job.M) * double(job.N) * double(job.K) / median,
             kernel.compiled().resources.registers);
  return {};
}

ErrorOr<std::vector<Case>> casesOf(std::span<char *> words, int &repeat) {
  if (words.size() >= 2 && words[0] == std::string("--repeat")) {
    repeat = std::atoi(words[1]);
    words = words.subspan(2);
  }
  if (words.size() % 4 != 0)
    return Error{"hopper_bench [--repeat n] [program.mlir M N K]..."};
  std::vector<Case> cases;
  for (size_t i = 0; i < words.size(); i += 4)
    cases.push_back(
        {words[i], std::atoll(words[i + 1]), std::atoll(words[i + 2]), std::atoll(words[i + 3])});
  if (cases.empty())
    for (int64_t size : {4096, 8192})
      cases.push_back({"gemm_cooperative.mlir", size, size, size});
  return cases;
}

Status run(std::span<char *> words) {
  int repeat = 50;
  TILEWRIGHT_ASSIGN(std::vector<Case> cases, casesOf(words, repeat));
  TILEWRIGHT_ASSIGN(const Driver *driver, Driver::get());
  for (const Case &job : cases)
    TILEWRIGHT_TRY(timeGemm(*driver, job, repeat));
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Status status = run(std::span(argv + 1, size_t(argc - 1)));
  if (!status)
    fmt::print(stderr, "error: {}\n", status.error().message);
  return status ? 0 : 1;
}
