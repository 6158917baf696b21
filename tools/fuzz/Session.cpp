#include "tools/fuzz/Session.h"

#include "passes/Pipeline.h"
#include "support/Files.h"
#include "tools/fuzz/Generator.h"
#include "tools/fuzz/Isolate.h"
#include "tools/fuzz/Shrink.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace tilewright;
using namespace tilewright::fuzz;

Case fuzz::caseOfSeed(uint64_t seed) {
  Choices choices(seed);
  return drawCase(choices);
}

std::string fuzz::kindOf(const Finding &finding) {
  if (finding.message.find(" instead of ") != std::string::npos)
    return finding.stage + ": differs";
  size_t from = finding.message.find("error: ");
  std::string words;
  bool quoted = false;
  for (char c : finding.message.substr(from == std::string::npos ? 0 : from)) {
    if (c == '\n')
      break;
    quoted ^= c == '`';
    if (!quoted && !std::isdigit(c))
      words += c;
  }
  return finding.stage + ": " + words;
}

static std::optional<Finding> checkOne(const Case &test, const OracleOptions &options) {
  return checkIsolated(1, [&](size_t) { return check(test, options); }).front();
}

//===- Many programs --------------------------------------------------------------------------===//

std::vector<std::pair<uint64_t, Finding>> fuzz::findFaults(const SessionOptions &options) {
  auto checkSeed = [&](size_t i) {
    OracleOptions oracle = options.oracle;
    oracle.machineCode =
        options.machineCodeEvery && (options.seed + i) % options.machineCodeEvery == 0;
    return check(caseOfSeed(options.seed + i), oracle);
  };
  IsolateOptions isolate;
  isolate.jobs = options.jobs;
  // Few enough that all processes have something to do.
  isolate.batch = std::clamp<size_t>(options.count / (2 * options.jobs), 1, isolate.batch);
  Findings findings = checkIsolated(options.count, checkSeed, isolate);
  std::vector<std::pair<uint64_t, Finding>> result;
  for (size_t i = 0; i < findings.size(); ++i)
    if (findings[i])
      result.emplace_back(options.seed + i, *findings[i]);
  return result;
}

/// The oracle that is enough to see a finding again: of the targets, the one that it names.
static OracleOptions narrowed(const OracleOptions &options, const Finding &finding) {
  OracleOptions result = options;
  result.machineCode = finding.stage.ends_with("machine code");
  if (!finding.stage.ends_with("GPU"))
    result.gpu.reset();
  for (const std::string &target : options.targets)
    if (finding.stage.starts_with(target + ":"))
      result.targets = {target};
  return result;
}

ShrunkFinding fuzz::shrinkFinding(uint64_t seed, const Finding &finding,
                                  const SessionOptions &options) {
  OracleOptions oracle = narrowed(options.oracle, finding);
  ShrunkFinding result{seed, finding, caseOfSeed(seed), {}};
  StillFails stillFails = [&](Choices &choices) {
    Case test = drawCase(choices);
    std::optional<Finding> found = checkOne(test, oracle);
    if (!found || kindOf(*found) != kindOf(finding))
      return false;
    return true;
  };
  Choices choices(seed);
  drawCase(choices);
  Choices smallest(shrink(choices.taken(), stillFails, options.shrinkAttempts));
  result.test = drawCase(smallest);
  if (std::optional<Finding> found = checkOne(result.test, oracle))
    result.finding = *found;
  return result;
}

//===- Blame ----------------------------------------------------------------------------------===//

/// The flags of all passes, each once.
static std::vector<std::string> passFlags() {
  mlir::OpPassManager manager("builtin.module");
  passes::addPasses(manager, {}, passes::Stage::Cuda);
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  std::vector<std::string> flags;
  std::string word;
  for (char c : text + ",") {
    if (std::isalnum(c) || c == '-') {
      word += c;
      continue;
    }
    if (word.find('-') != word.npos || word == "cse" || word == "canonicalize")
      if (llvm::find(flags, word) == flags.end())
        flags.push_back(word);
    word.clear();
  }
  return flags;
}

std::vector<std::string> fuzz::blame(const Case &test, const Finding &finding,
                                     const OracleOptions &options) {
  std::vector<std::string> blamed;
  for (const std::string &flag : passFlags()) {
    OracleOptions without = narrowed(options, finding);
    without.disabledPasses.push_back(flag);
    if (!checkOne(test, without))
      blamed.push_back(flag);
  }
  return blamed;
}

//===- Sessions -------------------------------------------------------------------------------===//

/// The file of a finding: how to see it, what is wrong, and the case.
static std::string fileOf(const ShrunkFinding &shrunk) {
  std::string text = fmt::format("# RUN: tilewright fuzz --replay %s\n# found with seed {}; {}\n",
                                 shrunk.seed, shrunk.finding.stage);
  std::string line = "# ";
  for (char c : shrunk.finding.message + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    text += line + "\n";
    line = "# ";
  }
  if (!shrunk.blamed.empty())
    text += fmt::format("# vanishes without: {}\n", fmt::join(shrunk.blamed, ", "));
  return text + shrunk.test.str();
}

static Status report(const ShrunkFinding &shrunk, const std::string &folder) {
  fmt::print("seed {}: {}: {}\n", shrunk.seed, shrunk.finding.stage, shrunk.finding.message);
  if (!shrunk.blamed.empty())
    fmt::print("vanishes without: {}\n", fmt::join(shrunk.blamed, ", "));
  if (folder.empty()) {
    fmt::print("{}\n", shrunk.test.str());
    return {};
  }
  std::string path = fmt::format("{}/seed-{}.py", folder, shrunk.seed);
  TILEWRIGHT_TRY(writeFileAtomic(path, fileOf(shrunk)));
  fmt::print("saved as {}\n", path);
  return {};
}

ErrorOr<bool> fuzz::runSession(const SessionOptions &options) {
  if (options.oracle.gpu)
    fmt::print("GPU: {} ({})\n", options.oracle.gpu->name, options.oracle.gpu->target);
  auto start = std::chrono::steady_clock::now();
  std::vector<std::pair<uint64_t, Finding>> found = findFaults(options);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::map<std::string, size_t> kinds;
  for (const auto &[seed, finding] : found) {
    size_t known = kinds[kindOf(finding)]++;
    if (known > 0 || kinds.size() > options.mostShrunk)
      continue;
    ShrunkFinding shrunk = shrinkFinding(seed, finding, options);
    if (options.blame)
      shrunk.blamed = blame(shrunk.test, shrunk.finding, options.oracle);
    TILEWRIGHT_TRY(report(shrunk, options.saveFolder));
  }
  for (const auto &[kind, count] : kinds)
    fmt::print("{} times {}\n", count, kind);
  fmt::print("{} programs, seeds {} to {}, on {}: {} findings, {:.1f} s\n", options.count,
             options.seed, options.seed + options.count - 1, fmt::join(options.oracle.targets, " "),
             found.size(), seconds);
  return found.empty();
}

ErrorOr<std::optional<Finding>> fuzz::replay(const std::string &path,
                                             const OracleOptions &options) {
  TILEWRIGHT_ASSIGN(std::string text, readFile(path));
  TILEWRIGHT_ASSIGN(Case test, parseCase(text));
  test.file = path;
  return checkOne(test, options);
}
