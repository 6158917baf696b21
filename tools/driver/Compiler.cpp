#include "tools/driver/Compiler.h"

#include "ir/Target.h"
#include "passes/Passes.h"
#include "support/Hash.h"
#include "tools/driver/Describe.h"

#include "mlir/Transforms/Passes.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::driver;

static Status checkTarget(const Config &config) {
  if (findTarget(config.passTarget()))
    return {};
  std::string names;
  for (const Target &target : allTargets())
    names += (names.empty() ? "" : ", ") + target.name.str();
  return Error{"there is no target `" + config.target + "`; there are " + names};
}

static Status checkPasses(const Config &config) {
  if (config.disabledPasses.empty())
    return {};
  static std::once_flag registered;
  std::call_once(registered, [] {
    passes::registerTilewrightPasses();
    mlir::registerTransformsPasses();
  });
  for (const std::string &pass : config.disabledPasses)
    if (!mlir::PassInfo::lookup(pass))
      return Error{"there is no pass `" + pass + "`"};
  return {};
}

passes::PipelineOptions driver::pipelineOptions(const Config &config) {
  passes::PipelineOptions options;
  options.target = config.passTarget();
  options.warps = config.warps;
  options.stages = config.stages;
  options.minBlocks = config.minBlocks;
  options.disabled = config.disabledPasses;
  return options;
}

static Status checkShared(const KernelText &text, const Attempt &attempt,
                          const runtime::KernelSource &source) {
  int64_t limit = findTarget(attempt.config.passTarget())->smem;
  if (source.sharedBytes <= limit)
    return {};
  std::string config = attempt.str(text.signature());
  return Error{source.location + ": the tiles of kernel `" + text.kernel + "` take " +
               std::to_string(source.sharedBytes) + " bytes of shared memory" +
               (config.empty() ? "" : " (" + config + ")") + ", a block on " +
               attempt.config.target + " has " + std::to_string(limit) +
               "; make the tiles smaller or the stages fewer"};
}

ErrorOr<Translated> driver::translate(const KernelTextPtr &text, const Attempt &attempt,
                                      std::optional<Misfit> *misfit) {
  TILEWRIGHT_TRY(checkTarget(attempt.config));
  TILEWRIGHT_TRY(checkPasses(attempt.config));
  TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, attempt.specialisation));
  TILEWRIGHT_ASSIGN(runtime::KernelSource source, describeTile(*text, module.kernel()));
  TILEWRIGHT_TRY(module.run(pipelineOptions(attempt.config), passes::Stage::Cuda));
  TILEWRIGHT_TRY(describeCuda(module.kernel(), source));
  if (Status fits = checkShared(*text, attempt, source); !fits) {
    if (misfit)
      *misfit = Misfit::SharedMemory;
    return std::move(fits).error();
  }
  TILEWRIGHT_ASSIGN(source.text, module.cudaText(/*sourceComments=*/false,
                                                 /*lineDirectives=*/true));
  source.target = attempt.config.target;
  return Translated{std::move(source), attempt, module.remarks()};
}

ErrorOr<Translated> driver::translateFitting(const KernelTextPtr &text, const Attempt &wanted,
                                             std::vector<std::string> *rejected) {
  std::string first;
  for (Attempt attempt = wanted;;) {
    std::optional<Misfit> misfit;
    ErrorOr<Translated> result = translate(text, attempt, &misfit);
    if (result || !misfit)
      return result;
    if (first.empty())
      first = result.error().message;
    if (rejected)
      rejected->push_back(result.error().message);
    std::optional<Attempt> next = nextAttempt(text->signature(), wanted, attempt, *misfit, 0);
    if (!next)
      return Error{first};
    attempt = std::move(*next);
  }
}

/// Why the machine code is not acceptable, if it is not.
static Status checkSpills(const KernelText &text, const Attempt &attempt,
                          const runtime::CompiledKernel &compiled) {
  unsigned stores = compiled.spills.storeBytes, loads = compiled.spills.loadBytes;
  unsigned frame = compiled.resources.frameBytes;
  if (attempt.config.allowSpills || (!stores && !loads && !frame))
    return {};
  // What is put aside around the loops that multiply costs nothing that counts.
  const runtime::ProductLoops &loops = compiled.resources.productLoops;
  if (loops.found && loops.localAccesses == 0)
    return {};
  std::string config = attempt.str(text.signature());
  std::string what = stores || loads
                         ? "spills registers: " + std::to_string(stores) + " bytes stored, " +
                               std::to_string(loads) + " loaded"
                         : "keeps " + std::to_string(frame) + " bytes of registers in local memory";
  return Error{"kernel `" + text.kernel + "` " + what + " per thread on " + attempt.config.target +
               (config.empty() ? "" : " (" + config + ")") +
               "; make the tiles smaller or the warps more"};
}

ErrorOr<Compiled> driver::compile(const KernelTextPtr &text, const Attempt &wanted,
                                  const runtime::CompileOptions &options) {
  std::vector<std::string> rejected;
  for (Attempt attempt = wanted;;) {
    std::optional<Misfit> misfit;
    int64_t warps = 0;
    ErrorOr<Compiled> result = [&]() -> ErrorOr<Compiled> {
      TILEWRIGHT_ASSIGN(Translated translated, translate(text, attempt, &misfit));
      warps = translated.source.threads / 32;
      TILEWRIGHT_ASSIGN(runtime::Kernel kernel,
                        runtime::Kernel::build(std::move(translated.source), options));
      if (Status clean = checkSpills(*text, attempt, kernel.compiled()); !clean) {
        misfit = Misfit::Registers;
        return std::move(clean).error();
      }
      Compiled compiled(std::move(kernel), attempt);
      compiled.remarks = std::move(translated.remarks);
      compiled.rejected = rejected;
      return compiled;
    }();
    if (result || !misfit)
      return result;
    rejected.push_back(result.error().message);
    std::optional<Attempt> next = nextAttempt(text->signature(), wanted, attempt, *misfit, warps);
    if (!next)
      return Error{rejected.front()};
    attempt = std::move(*next);
  }
}

std::string driver::memoKey(const KernelText &text, const Attempt &attempt) {
  std::vector<std::string> parts;
  const frontend::Specialisation &bound = attempt.specialisation;
  for (const auto &entry : bound.dtypes)
    parts.push_back("t" + entry.getKey().str() + "=" + dtypeName(entry.getValue()).str());
  for (const auto &entry : bound.dims)
    parts.push_back("d" + entry.getKey().str() + "=" + std::to_string(entry.getValue()));
  for (const auto &entry : bound.consts)
    parts.push_back("c" + entry.getKey().str() + "=" + toString(entry.getValue()));
  for (const auto &entry : bound.tensors) {
    const frontend::TensorFacts &facts = entry.getValue();
    parts.push_back("v" + entry.getKey().str() + "=" + std::to_string(facts.align) +
                    (facts.strided ? "s" : "") + (facts.wide ? "w" : ""));
  }
  std::sort(parts.begin(), parts.end()); // the maps have no order
  std::string key =
      text.file + ":" + text.kernel + ":" + hashBytes(text.text).hex() + ";" + attempt.config.key();
  for (const std::string &part : parts)
    key += ";" + part;
  return key;
}

Memo::Result Memo::get(const KernelTextPtr &text, const Attempt &wanted) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex);
    std::shared_ptr<Entry> &known = entries[memoKey(*text, wanted)];
    if (!known)
      known = std::make_shared<Entry>();
    entry = known;
  }
  std::call_once(entry->once, [&] {
    entry->result = std::make_shared<ErrorOr<Compiled>>(compile(text, wanted));
  });
  return entry->result;
}
