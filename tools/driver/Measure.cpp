#include "tools/driver/Measure.h"

#include "runtime/Archive.h"
#include "runtime/CacheFlusher.h"
#include "runtime/Device.h"
#include "support/Files.h"
#include "tools/driver/HostTensor.h"
#include "tools/driver/MeasuredData.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>
#include <mutex>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::driver;
using runtime::Archive;

//===- Packing --------------------------------------------------------------------------------===//

static void packKernel(Archive &file, size_t number, const runtime::Kernel &kernel) {
  std::string prefix = std::to_string(number) + "/";
  runtime::KernelSource source = kernel.source();
  source.text.clear();
  file.add(prefix + "source", toJson(source));
  file.add(prefix + "cubin", kernel.compiled().text.cubin);
  file.add(prefix + "ptx", kernel.compiled().text.ptx);
}

ErrorOr<std::string> driver::packContest(const std::vector<const runtime::Kernel *> &kernels,
                                         const Call &call, int device, const DataHints &hints) {
  Archive file;
  TILEWRIGHT_TRY(packData(file, call, device, hints));
  file.add("count", std::to_string(kernels.size()));
  for (auto [number, kernel] : llvm::enumerate(kernels))
    packKernel(file, number, *kernel);
  return file.pack();
}

static ErrorOr<runtime::Kernel> unpackKernel(Archive &file, size_t number) {
  std::string prefix = std::to_string(number) + "/";
  std::optional<std::string> source = file.take(prefix + "source"),
                             cubin = file.take(prefix + "cubin"), ptx = file.take(prefix + "ptx");
  if (!source || !cubin || !ptx)
    return Error{"the file has no kernel " + std::to_string(number)};
  TILEWRIGHT_ASSIGN(runtime::KernelSource read, runtime::kernelSourceFromJson(*source));
  runtime::CompiledKernel compiled;
  compiled.text = {std::move(*ptx), std::move(*cubin), ""};
  return runtime::Kernel::fromCompiled(std::move(read), std::move(compiled));
}

//===- The GPU --------------------------------------------------------------------------------===//

namespace {

class GpuArena : public Arena {
public:
  static ErrorOr<GpuArena> create(Archive &file, const runtime::Driver &driver, int pipe) {
    auto alive = [&] { (void)!write(pipe, "load\n", 5); };
    TILEWRIGHT_ASSIGN(MeasuredData data, MeasuredData::unpack(file, driver, alive));
    int device = data.device();
    TILEWRIGHT_ASSIGN(auto stream, runtime::OwnedStream::create(driver, device));
    TILEWRIGHT_ASSIGN(auto flusher, runtime::CacheFlusher::create(driver, device));
    TILEWRIGHT_ASSIGN(auto begin, runtime::Event::create(driver, device));
    TILEWRIGHT_ASSIGN(auto end, runtime::Event::create(driver, device));
    GpuArena arena{std::move(data), std::move(stream), std::move(flusher), std::move(begin),
                   std::move(end)};
    size_t count = std::stoul(file.take("count").value_or("0"));
    for (size_t number = 0; number < count; ++number) {
      TILEWRIGHT_ASSIGN(runtime::Kernel kernel, unpackKernel(file, number));
      arena.kernels.push_back(std::move(kernel));
    }
    return arena;
  }

  size_t size() const { return kernels.size(); }

  ErrorOr<std::string> check(size_t contender) override {
    TILEWRIGHT_TRY(data.reset(stream.get()));
    TILEWRIGHT_TRY(kernels[contender].prepare(data.device()));
    TILEWRIGHT_TRY(warm(contender));
    TILEWRIGHT_ASSIGN(HostTensors results, data.results());
    if (expected.empty()) {
      expected = std::move(results);
      return std::string();
    }
    return differenceOf(results);
  }

  Status warm(size_t contender) override {
    TILEWRIGHT_TRY(launch(contender));
    return stream.synchronize();
  }

  ErrorOr<double> time(size_t contender) override {
    TILEWRIGHT_TRY(flusher.flush(stream.get())); // the host submits the rest meanwhile
    TILEWRIGHT_TRY(begin.record(stream.get()));
    TILEWRIGHT_TRY(launch(contender));
    TILEWRIGHT_TRY(end.record(stream.get()));
    TILEWRIGHT_ASSIGN(double milliseconds, end.millisecondsSince(begin));
    return milliseconds * 1e3;
  }

private:
  GpuArena(MeasuredData data, runtime::OwnedStream stream, runtime::CacheFlusher flusher,
           runtime::Event begin, runtime::Event end)
      : data(std::move(data)), stream(std::move(stream)), flusher(std::move(flusher)),
        begin(std::move(begin)), end(std::move(end)) {}

  Status launch(size_t contender) {
    return kernels[contender].launch(stream.get(), data.arguments());
  }

  std::string differenceOf(const HostTensors &results) const {
    for (const auto &[name, found] : results) {
      const HostTensor &reference = expected.at(name);
      if (found.bytes == reference.bytes)
        continue;
      if (Comparison result = compareResults(found, reference, data.coarsest()); !result.ok())
        return fmt::format(
            "its `{}` differs in {} of {} elements, first at {}: {:.6g} instead of {:.6g}", name,
            result.mismatches, reference.size(), coordinates(result.first, reference.shape),
            result.firstFound, result.firstExpected);
    }
    return "";
  }

  MeasuredData data;
  runtime::OwnedStream stream;
  runtime::CacheFlusher flusher;
  runtime::Event begin, end;
  std::vector<runtime::Kernel> kernels;
  HostTensors expected; ///< The results of the first that was right.
};

} // namespace

static Status holdOnGpu(const std::string &path, const std::string &leftOut, int pipe) {
  TILEWRIGHT_ASSIGN(std::string bytes, readFile(path));
  TILEWRIGHT_ASSIGN(Archive file, Archive::unpack(bytes));
  bytes = {};
  TILEWRIGHT_ASSIGN(const runtime::Driver *driver, runtime::Driver::get());
  TILEWRIGHT_ASSIGN(GpuArena arena, GpuArena::create(file, *driver, pipe));
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(leftOut).split(words, ',', -1, /*KeepEmpty=*/false);
  std::set<size_t> numbers;
  for (llvm::StringRef word : words)
    numbers.insert(std::stoul(word.str()));
  holdContest(arena, arena.size(), numbers, pipe);
  return {};
}

int driver::measureContest(const std::string &path, const std::string &leftOut, int pipe) {
  Status held = holdOnGpu(path, leftOut, pipe);
  if (held)
    return 0;
  std::string line = "fail " + llvm::StringRef(held.error().message).split('\n').first.str() + "\n";
  return write(pipe, line.data(), line.size()) < 0 ? 2 : 1;
}

//===- Which program --------------------------------------------------------------------------===//

namespace {

struct Program {
  std::mutex mutex;
  std::vector<std::string> words = {"tilewright", "measure"};
};

Program &program() {
  static Program instance;
  return instance;
}

} // namespace

std::vector<std::string> driver::measuringProgram() {
  std::lock_guard lock(program().mutex);
  return program().words;
}

void driver::setMeasuringProgram(std::vector<std::string> words) {
  std::lock_guard lock(program().mutex);
  program().words = std::move(words);
}
