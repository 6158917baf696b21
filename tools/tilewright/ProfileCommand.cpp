// `tilewright profile`: runs a kernel under Nsight Compute, and shows what that has counted beside
// the kernel's lines.
#include "runtime/Driver.h"
#include "support/Env.h"
#include "support/Files.h"
#include "tools/driver/Counters.h"
#include "tools/driver/Plans.h"
#include "tools/driver/RoleCode.h"
#include "tools/tilewright/Check.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/TimelineFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;
using llvm::StringRef;

namespace {

/// Nsight Compute's program.
ErrorOr<std::string> findProfiler(const std::string &stated) {
  std::vector<std::string> folders;
  for (EnvVar variable : {EnvVar::TilewrightCudaHome, EnvVar::CudaHome, EnvVar::CudaPath})
    if (std::optional<std::string> home = getEnv(variable))
      folders.push_back(*home + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  llvm::SmallVector<StringRef> paths(folders.begin(), folders.end());
  std::string name = stated.empty() ? "ncu" : stated;
  if (auto found = llvm::sys::findProgramByName(name); found && llvm::sys::fs::can_execute(*found))
    return *found;
  if (auto found = llvm::sys::findProgramByName(name, paths); found && stated.empty())
    return *found;
  if (!stated.empty())
    return Error{"there is no program `" + stated + "`"};
  return Error{"Nsight Compute (`ncu`) was not found on PATH or in the CUDA toolkit; install the "
               "package cuda-nsight-compute, name one with --ncu PATH, or read a report that was "
               "made elsewhere with --report FILE"};
}

/// What a program prints; fails with that if it fails.
ErrorOr<std::string> outputOf(const std::vector<std::string> &words) {
  llvm::SmallString<128> output;
  if (llvm::sys::fs::createTemporaryFile("tilewright", "txt", output))
    return Error{"no temporary file could be made"};
  llvm::FileRemover remover(output);
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(output), StringRef(output)};
  llvm::SmallVector<StringRef> references(words.begin(), words.end());
  int code = llvm::sys::ExecuteAndWait(words.front(), references, std::nullopt, redirects);
  TILEWRIGHT_ASSIGN(std::string text, readFile(std::string(output)));
  if (code != 0)
    return Error{fmt::format("`{}` failed: {}", fmt::join(words, " "), text)};
  return text;
}

/// This program, as it was started.
std::string ownProgram() {
  return llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&ownProgram));
}

/// Runs the job under ncu; a report of one launch of a kernel, after some to warm up.
Status makeReport(const std::string &ncu, const ProfileOptions &options, const std::string &entry,
                  const std::string &report) {
  std::vector<std::string> words = {ncu,
                                    "--set",
                                    "full",
                                    "--import-source",
                                    "yes",
                                    "-f",
                                    "--kernel-name",
                                    entry,
                                    "--launch-skip",
                                    "2",
                                    "--launch-count",
                                    "1",
                                    "-o",
                                    report,
                                    ownProgram(),
                                    "run"};
  words.insert(words.end(), options.words.begin(), options.words.end());
  words.insert(words.end(), {"--line-info", "--no-check", "--repeat", "1"});
  TILEWRIGHT_ASSIGN(std::string said, outputOf(words));
  if (!llvm::sys::fs::exists(report))
    return Error{"Nsight Compute has made no report; it says: " + said};
  return {};
}

/// "Nsight Compute 2025.3.1"
std::string versionOf(const std::string &ncu) {
  ErrorOr<std::string> said = outputOf({ncu, "--version"});
  StringRef version = said ? StringRef(*said).split("Version ").second : StringRef();
  StringRef number = version.take_until([](char c) { return c == ' ' || c == '\n'; });
  return "Nsight Compute" + (number.empty() ? "" : " " + number.str());
}

/// The counters in a report, by the lines of the machine code that it is of.
ErrorOr<driver::Counters> readReport(const std::string &ncu, const std::string &report,
                                     llvm::ArrayRef<unsigned> lines) {
  auto page = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {ncu, "--import", report, "--csv", "--print-units", "base"});
    return outputOf(words);
  };
  TILEWRIGHT_ASSIGN(std::string raw, page({"--page", "raw"}));
  TILEWRIGHT_ASSIGN(std::string source, page({"--page", "source", "--print-source", "sass"}));
  TILEWRIGHT_ASSIGN(std::vector<driver::CounterTotal> totals, driver::readTotals(raw));
  TILEWRIGHT_ASSIGN(driver::InstructionCounters instructions, driver::readInstructions(source));
  TILEWRIGHT_ASSIGN(driver::Counters counters,
                    driver::countByLine(std::move(totals), instructions, lines));
  counters.tool = versionOf(ncu);
  return counters;
}

/// For each instruction of a step's machine code the line of the kernel.
ErrorOr<std::vector<unsigned>> linesOf(const Job &job, const Step &step) {
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, attemptFor(job, step, job.sizes));
  TILEWRIGHT_ASSIGN(driver::Compiled compiled, driver::compile(step.text, wanted));
  if (compiled.kernel.compiled().text.cubin.empty())
    return Error{"there is no machine code for " + job.config.target + ", only PTX"};
  TILEWRIGHT_ASSIGN(driver::Translated translated, driver::translate(step.text, compiled.attempt));
  driver::RoleCode code = driver::roleCode(translated.outline, compiled.kernel.source().entry,
                                           compiled.kernel.compiled());
  return code.lines;
}

ErrorOr<driver::Counters> profileStep(const std::string &ncu, const ProfileOptions &options,
                                      const Job &job, const Step &step) {
  TILEWRIGHT_ASSIGN(std::vector<unsigned> lines, linesOf(job, step));
  if (!options.report.empty())
    return readReport(ncu, options.report, lines);
  llvm::SmallString<128> report;
  if (llvm::sys::fs::createTemporaryFile("tilewright", "ncu-rep", report))
    return Error{"no temporary file could be made"};
  llvm::FileRemover remover(report);
  llvm::sys::fs::remove(report); // ncu makes it
  TILEWRIGHT_TRY(makeReport(ncu, options, step.text->kernel, std::string(report)));
  return readReport(ncu, std::string(report), lines);
}

/// Compiles for the GPU that `run` takes, if there is one.
void takeGpu(Job &job, const KernelArgs &args) {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (!driver || (*driver)->devices().empty())
    return;
  const runtime::DeviceInfo &gpu = (*driver)->devices().front();
  job.multiprocessors = gpu.multiprocessors;
  if (args.target.empty())
    job.config.target = gpu.target();
}

/// As `inspect --with` takes it.
std::string jsonText(llvm::json::Object counters) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(llvm::json::Object{{"counters", std::move(counters)}});
  return text + "\n";
}

} // namespace

Status cli::profile(const ProfileOptions &options) {
  TILEWRIGHT_ASSIGN(std::string ncu, findProfiler(options.ncu));
  TILEWRIGHT_ASSIGN(Job job, makeJob(options.kernel));
  takeGpu(job, options.kernel);
  job.config.lineInfo = true;
  TILEWRIGHT_TRY(checkComplete(job));
  TILEWRIGHT_TRY(choosePlans(job));
  TILEWRIGHT_TRY(checkSizes(job, job.sizes));
  for (const Step &step : job.steps) {
    TILEWRIGHT_ASSIGN(driver::Counters counters, profileStep(ncu, options, job, step));
    fmt::print("{}: {}\n{}", step.text->kernel, str(job.sizes), counters.str(step.text->text));
    if (!options.json.empty())
      TILEWRIGHT_TRY(
          writeFileAtomic(fileFor(options.json, job, step), jsonText(counters.toJson())));
  }
  return {};
}
