#include "tools/driver/Compiler.h"

#include "ir/Target.h"
#include "passes/Passes.h"
#include "support/Hash.h"
#include "tools/driver/Acceptance.h"
#include "tools/driver/CodeCache.h"
#include "tools/driver/Describe.h"
#include "tools/driver/LargerTiles.h"
#include "tools/driver/LoadsUnderWay.h"

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
               "; use smaller tiles or fewer stages"};
}

static int64_t numberOf(mlir::func::FuncOp kernel, llvm::StringRef attribute) {
  auto number = kernel->getAttrOfType<mlir::IntegerAttr>(attribute);
  return number ? number.getInt() : 0;
}

Status driver::carryOut(KernelModule &module, const Attempt &attempt,
                        const KernelModule::PassObserver &observer) {
  const std::string &plan = attempt.config.planText;
  if (!plan.empty())
    return module.carryOut(attempt.config.options(), plan, observer);
  // Sums of all programs, and clusters, change the grid, which is described before the kernel is
  // lowered.
  bool mayShare = module.kernel()
                      .walk([](tile::AtomicOp) { return mlir::WalkResult::interrupt(); })
                      .wasInterrupted();
  return (mayShare || attempt.config.cluster > 1) && !module.text().isCta()
             ? module.run(attempt.config.options(), passes::Stage::Tile, observer)
             : Status();
}

/// Entries are part of a plan.
static Status checkEntries(const Config &config) {
  if (config.planEntries.empty() || !config.planText.empty())
    return {};
  std::string why = config.findsPlan ? "" : ", as none is wanted";
  return Error{"entry `" + config.planEntries.front() + "` is of a plan, and none is found for " +
               config.target + why + "; `tilewright plans` says why, and `--plan FILE` states one"};
}

ErrorOr<KernelModule> driver::loadModule(const KernelTextPtr &text, const Attempt &attempt) {
  TILEWRIGHT_TRY(checkEntries(attempt.config));
  TILEWRIGHT_ASSIGN(KernelModule module,
                    KernelModule::lower(text, attempt.specialisation, attempt.plan));
  TILEWRIGHT_TRY(carryOut(module, attempt));
  return module;
}

ErrorOr<Lowered> driver::lowerToCuda(const KernelTextPtr &text, const Attempt &attempt,
                                     std::optional<Rejection> *rejection) {
  TILEWRIGHT_TRY(checkTarget(attempt.config));
  TILEWRIGHT_TRY(checkPasses(attempt.config));
  TILEWRIGHT_ASSIGN(KernelModule module, loadModule(text, attempt));
  TILEWRIGHT_ASSIGN(runtime::KernelSource source, describeTile(*text, module.kernel()));
  Outline outline = outlineOf(module.kernel(), text->file);
  auto reject = [&](Misfit misfit, int64_t warps, Status why) {
    if (rejection)
      *rejection = Rejection{misfit, warps};
    return std::move(why).error();
  };
  if (Status done = module.run(attempt.config.options(), passes::Stage::Cuda); !done) {
    mlir::func::FuncOp kernel = module.kernel();
    if (!kernel->hasAttr(cta::kExceedsRegistersAttr))
      return std::move(done).error();
    return reject(Misfit::Registers, numberOf(kernel, cta::kWarpsAttr), std::move(done));
  }
  source.target = attempt.config.target;
  if (text->isCta() || !attempt.config.planText.empty() || attempt.config.lineInfo)
    source.options.emplace_back("-lineinfo"); // so that findings in machine code have a line
  TILEWRIGHT_TRY(describeCuda(module.kernel(), source));
  if (Status fits = checkShared(*text, attempt, source); !fits)
    return reject(Misfit::SharedMemory, source.threads / kLanes, std::move(fits));
  addCode(module.kernel(), outline);
  return Lowered{std::move(module), std::move(source), attempt, std::move(outline)};
}

ErrorOr<Translated> driver::translate(const KernelTextPtr &text, const Attempt &attempt,
                                      std::optional<Rejection> *rejection) {
  TILEWRIGHT_ASSIGN(Lowered lowered, lowerToCuda(text, attempt, rejection));
  lowered.source.text = attempt.config.cudaText;
  if (lowered.source.text.empty()) {
    TILEWRIGHT_ASSIGN(lowered.source.text, lowered.module.cudaText(/*sourceComments=*/false,
                                                                   /*lineDirectives=*/true));
  }
  int64_t minBlocks = numberOf(lowered.module.kernel(), cuda::kMinBlocksAttr);
  return Translated{std::move(lowered.source), attempt, std::move(lowered.outline),
                    lowered.module.remarks(), minBlocks};
}

/// The configuration to try next. A program of the `cta` level has only its own.
static std::optional<Attempt> attemptAfter(const KernelText &text, const Attempt &wanted,
                                           const Attempt &failed, const Rejection &rejection) {
  bool isStated = text.isCta() || !wanted.config.planText.empty();
  return isStated ? std::nullopt : nextAttempt(text.signature(), wanted, failed, rejection);
}

/// Calls `make` with a configuration, and then with those that the passes propose, until one is not
/// rejected. `rejected` gets the reasons against the others.
template <typename Make>
static auto tryAdjusting(const KernelTextPtr &text, const Attempt &wanted,
                         std::vector<std::string> *rejected, Make make) {
  std::string first;
  for (Attempt attempt = withLargerTiles(text, wanted, rejected);;) {
    std::optional<Rejection> rejection;
    auto result = make(attempt, &rejection);
    if (!result && attempt.config.cluster != wanted.config.cluster && !rejection)
      return decltype(result)(Error{first}); // rows that blocks cannot share
    if (result || !rejection)
      return result;
    if (first.empty())
      first = result.error().message;
    if (rejected)
      rejected->push_back(result.error().message);
    std::optional<Attempt> next = attemptAfter(*text, wanted, attempt, *rejection);
    if (!next)
      return decltype(result)(Error{first});
    attempt = std::move(*next);
  }
}

/// The same, and then with the attempt's others. A plan that was found is not the user's, so any
/// problem with it leads to the next; but a text of CUDA that is given is of the first. If none
/// fits, the last one says why; among plans under a user's entries, the best.
template <typename Make>
static auto tryFitting(const KernelTextPtr &text, const Attempt &wanted,
                       std::vector<std::string> *rejected, Make make) {
  if (rejected)
    *rejected = wanted.passedOver;
  auto result = tryAdjusting(text, wanted, rejected, make);
  std::string first = result ? "" : result.error().message;
  for (const Attempt &other : wanted.others) {
    if (result || !wanted.config.cudaText.empty())
      break;
    if (rejected && (rejected->empty() || rejected->back() != result.error().message))
      rejected->push_back(result.error().message);
    result = tryAdjusting(text, other, rejected, make);
  }
  if (!result && !wanted.config.planEntries.empty())
    return decltype(result)(Error{first});
  return result;
}

ErrorOr<Lowered> driver::lowerFitting(const KernelTextPtr &text, const Attempt &wanted,
                                      std::vector<std::string> *rejected) {
  return tryFitting(text, wanted, rejected, [&](const Attempt &attempt, auto *rejection) {
    return lowerToCuda(text, attempt, rejection);
  });
}

ErrorOr<Translated> driver::translateFitting(const KernelTextPtr &text, const Attempt &wanted,
                                             std::vector<std::string> *rejected) {
  return tryFitting(text, wanted, rejected, [&](const Attempt &attempt, auto *rejection) {
    return translate(text, attempt, rejection);
  });
}

Status driver::accept(const KernelText &text, const Translated &translated,
                      const runtime::CompiledKernel &compiled) {
  const runtime::KernelSource &source = translated.source;
  const Attempt &attempt = translated.attempt;
  TILEWRIGHT_TRY(checkNotes(source, translated.outline, compiled.performanceNotes));
  if (attempt.config.allowSpills)
    return {};
  Status kept = checkLocalMemory(source, translated.outline, compiled);
  std::string config = attempt.str(text.signature());
  if (kept || config.empty())
    return kept;
  return Error{kept.error().message + " (" + config + " on " + attempt.config.target + ")"};
}

/// Compiles with one configuration. If it is not accepted, sets `rejection`.
static ErrorOr<Compiled> compileOnce(const KernelTextPtr &text, const Attempt &wanted,
                                     const Attempt &attempt, const runtime::CompileOptions &options,
                                     std::optional<Rejection> *rejection) {
  TILEWRIGHT_ASSIGN(Translated translated, translate(text, attempt, rejection));
  TILEWRIGHT_ASSIGN(runtime::Kernel kernel, runtime::Kernel::build(translated.source, options));
  for (const std::string &warning : kernel.compiled().warnings)
    warnOnce(warning);
  if (Status accepted = accept(*text, translated, kernel.compiled()); !accepted) {
    *rejection =
        Rejection{Misfit::Registers, translated.source.threads / kLanes, translated.minBlocks,
                  /*maySpill=*/translated.outline.loadedBytes > 0};
    return std::move(accepted).error();
  }
  Compiled result(std::move(kernel), wanted, attempt);
  result.loadedBytes = translated.outline.loadedBytes;
  result.reduces = translated.outline.reduces;
  result.holdsRows = translated.outline.holdsRows;
  result.loadsAhead = translated.outline.loadsAhead;
  result.rowLoop = translated.outline.rowLoop;
  return result;
}

ErrorOr<Compiled> driver::compile(const KernelTextPtr &text, const Attempt &wanted,
                                  const runtime::CompileOptions &options) {
  CodeCache cache(options);
  if (std::optional<Compiled> known = cache.load(*text, wanted))
    return std::move(*known);
  std::vector<std::string> rejected;
  ErrorOr<Compiled> result =
      tryFitting(text, wanted, &rejected, [&](const Attempt &attempt, auto *rejection) {
        return compileOnce(text, wanted, attempt, options, rejection);
      });
  if (!result)
    return result;
  result->rejected = std::move(rejected);
  if (!text->isCta() && result->attempt.config.planText.empty())
    keepMemoryBusy(*text, *result, [&](const Attempt &attempt) {
      std::optional<Rejection> rejection;
      return compileOnce(text, wanted, attempt, options, &rejection);
    });
  cache.store(*text, *result);
  return result;
}

std::string driver::memoKey(const KernelText &text, const Attempt &attempt) {
  std::vector<std::string> parts;
  const frontend::Specialisation &bound = attempt.specialisation;
  for (const auto &entry : bound.dtypes)
    parts.push_back(("t" + entry.getKey() + "=" + dtypeName(entry.getValue())).str());
  for (const auto &entry : bound.dims)
    parts.push_back(("d" + entry.getKey() + "=" + llvm::Twine(entry.getValue())).str());
  for (const auto &entry : bound.consts)
    parts.push_back(("c" + entry.getKey() + "=" + toString(entry.getValue())).str());
  for (const auto &entry : bound.tensors) {
    const frontend::TensorFacts &facts = entry.getValue();
    parts.push_back(("v" + entry.getKey() + "=" + llvm::Twine(facts.align) +
                     (facts.strided ? "s" : "") + (facts.wide ? "w" : ""))
                        .str());
  }
  std::sort(parts.begin(), parts.end()); // the maps have no order
  Hasher hasher;
  hasher.addField(text.hash.hex()).addField(std::to_string(attempt.plan));
  for (const std::string &field : attempt.config.key())
    hasher.addField(field);
  for (const Attempt &other : attempt.others)
    hasher.addField("o" + other.config.planText);
  for (const std::string &part : parts)
    hasher.addField(part);
  return hasher.finish().hex();
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
