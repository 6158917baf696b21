// Times the programs of this folder: `hopper_bench [--repeat n] [program.mlir sizes]…`, where sizes
// are M N K of a product or B S H of attention, prints a JSON object per program and size, medians
// with the L2 cache emptied before each launch.
#include "runtime/CacheFlusher.h"
#include "runtime/Kernel.h"
#include "support/Files.h"
#include "tests/hopper/Attention.h"
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

/// A product of M, N and K, or attention over B, S and H.
struct Case {
  std::string program;
  std::array<int64_t, 3> sizes;
};

/// The program's row, if it is one of attention.
const hopper::AttentionProgram *findAttention(const std::string &program) {
  for (const hopper::AttentionProgram &attention : hopper::kAttentionPrograms)
    if (attention.file == program)
      return &attention;
  return nullptr;
}

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

/// Times a program and prints its object; `sizes` are members of that.
Status report(const Driver &driver, const std::string &program, const std::string &sizes,
              double flops, std::span<const Argument> arguments, int repeat) {
  TILEWRIGHT_ASSIGN(driver::Lowered lowered, hopper::lowerCta(hopper::textOf(program)));
  TILEWRIGHT_ASSIGN(Kernel kernel, Kernel::build(lowered.source, {}));
  TILEWRIGHT_TRY(
      driver::checkNotes(lowered.source, lowered.outline, kernel.compiled().performanceNotes));
  TILEWRIGHT_ASSIGN(std::vector<double> times, timeLaunches(driver, kernel, arguments, repeat));
  double median = times[times.size() / 2];
  fmt::print("{{\"program\": \"{}\", {}, \"median_ms\": {:.5f}, \"min_ms\": {:.5f}, "
             "\"tflops\": {:.1f}, \"registers\": {}}}\n",
             program, sizes, median, times.front(), 1e-9 * flops / median,
             kernel.compiled().resources.registers);
  return {};
}

Status timeGemm(const Driver &driver, const Case &job, int repeat) {
  using hopper::DeviceMatrix;
  auto [M, N, K] = job.sizes;
  DeviceMatrix a(driver, ElementType::BF16, M, K), b(driver, ElementType::BF16, N, K);
  DeviceMatrix c(driver, ElementType::BF16, M, N);
  a.fill(1);
  b.fill(2);
  std::vector<Argument> arguments = {a.ref(), b.ref(), c.ref()};
  return report(driver, job.program, fmt::format("\"M\": {}, \"N\": {}, \"K\": {}", M, N, K),
                2 * double(M) * double(N) * double(K), arguments, repeat);
}

Status timeAttention(const Driver &driver, const Case &job, int repeat) {
  using hopper::DeviceMatrix;
  auto [B, S, H] = job.sizes;
  auto [file, D, causal] = *findAttention(job.program);
  hopper::AttentionSizes sizes{B, S, S, H, H, D, causal};
  DeviceMatrix q(driver, ElementType::BF16, sizes.queries());
  DeviceMatrix k(driver, ElementType::BF16, sizes.keys());
  DeviceMatrix v(driver, ElementType::BF16, sizes.keys());
  DeviceMatrix o(driver, ElementType::BF16, sizes.queries());
  DeviceMatrix lse(driver, ElementType::F32, sizes.rows());
  q.fill(1);
  k.fill(2);
  v.fill(3);
  std::vector<Argument> arguments = {q.ref(), k.ref(),   v.ref(),
                                     o.ref(), lse.ref(), 1 / std::sqrt(double(D))};
  return report(driver, job.program,
                fmt::format("\"B\": {}, \"S\": {}, \"H\": {}, \"D\": {}", B, S, H, D),
                sizes.flops(), arguments, repeat);
}

ErrorOr<std::vector<Case>> casesOf(std::span<char *> words, int &repeat) {
  if (words.size() >= 2 && words[0] == std::string("--repeat")) {
    repeat = std::atoi(words[1]);
    words = words.subspan(2);
  }
  if (words.size() % 4 != 0)
    return Error{"hopper_bench [--repeat n] [gemm.mlir M N K | attention.mlir B S H]..."};
  std::vector<Case> cases;
  for (size_t i = 0; i < words.size(); i += 4)
    cases.push_back(
        {words[i], {std::atoll(words[i + 1]), std::atoll(words[i + 2]), std::atoll(words[i + 3])}});
  if (!cases.empty())
    return cases;
  for (int64_t size : {4096, 8192})
    cases.push_back({"gemm_cooperative.mlir", {size, size, size}});
  for (const hopper::AttentionProgram &attention : hopper::kAttentionPrograms)
    cases.push_back({attention.file, {4, 4096, 2048 / attention.D}});
  return cases;
}

Status run(std::span<char *> words) {
  int repeat = 50;
  TILEWRIGHT_ASSIGN(std::vector<Case> cases, casesOf(words, repeat));
  TILEWRIGHT_ASSIGN(const Driver *driver, Driver::get());
  for (const Case &job : cases)
    TILEWRIGHT_TRY(findAttention(job.program) ? timeAttention(*driver, job, repeat)
                                              : timeGemm(*driver, job, repeat));
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Status status = run(std::span(argv + 1, size_t(argc - 1)));
  if (!status)
    fmt::print(stderr, "error: {}\n", status.error().message);
  return status ? 0 : 1;
}
