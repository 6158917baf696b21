#include "tools/driver/CodeCache.h"

#include "tools/driver/BuildId.h"
#include "tools/driver/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace tilewright;
using namespace tilewright::driver;
using llvm::json::Array;
using llvm::json::Object;

// The items of an entry.
static constexpr const char *kDescription = "kernel.json"; // without the text
static constexpr const char *kText = "text";
static constexpr const char *kChoice = "choice.json";
static constexpr const char *kCode = "code";
static constexpr const char *kPlan = "plan";

//===- Keys -----------------------------------------------------------------------------------===//

CodeCache::CodeCache(const runtime::CompileOptions &options) {
  // Those of a kernel's source follow from the rest of the key. Errors in the others are reported
  // by the compilation.
  ErrorOr<std::vector<std::string>> flags = runtime::nvrtcOptions({}, options);
  if (buildId().empty() || !flags)
    return;
  cache = runtime::cacheFor(options);
  circumstances = buildId() + "\n" + runtime::nvrtcStamp();
  for (const std::string &flag : *flags)
    circumstances += flag + "\n";
}

Hash128 CodeCache::keyOf(std::string_view kind, const KernelText &text, const Attempt &wanted,
                         Launch launch) const {
  Hasher hasher;
  hasher.addField(kind).addField(circumstances).addField(memoKey(text, wanted));
  for (int64_t number : launch)
    hasher.addField(std::to_string(number));
  return hasher.finish();
}

//===- What was chosen ------------------------------------------------------------------------===//

/// The attempt with this number: 0 is `wanted`, and its others follow.
static const Attempt &askedFor(const Attempt &wanted, size_t number) {
  return number == 0 ? wanted : wanted.others[number - 1];
}

/// The number of the attempt from which this one was adjusted; they have the same plan.
static size_t originOf(const Attempt &wanted, const Attempt &attempt) {
  auto hasItsPlan = [&](const Attempt &asked) {
    return asked.config.planText == attempt.config.planText &&
           asked.config.findsPlan == attempt.config.findsPlan;
  };
  if (hasItsPlan(wanted))
    return 0;
  return llvm::find_if(wanted.others, hasItsPlan) - wanted.others.begin() + 1;
}

static Object choiceJson(const Compiled &compiled) {
  const Attempt &attempt = compiled.attempt;
  size_t origin = originOf(compiled.wanted, attempt);
  const auto &asked = askedFor(compiled.wanted, origin).specialisation.consts;
  Object tiles;
  for (const auto &tile : attempt.specialisation.consts)
    if (const auto *extent = std::get_if<int64_t>(&tile.getValue());
        extent &&
        (!asked.contains(tile.getKey()) || asked.find(tile.getKey())->second != tile.getValue()))
      tiles[tile.getKey()] = *extent;
  return Object{{"asked", int64_t(origin)},          {"warps", attempt.config.warps},
                {"stages", attempt.config.stages},   {"min_blocks", attempt.config.minBlocks},
                {"cluster", attempt.config.cluster}, {"allow_spills", attempt.config.allowSpills},
                {"tiles", std::move(tiles)},         {"rejected", Array(compiled.rejected)}};
}

static std::optional<Attempt> chosen(const Object &choice, const Attempt &wanted) {
  std::optional<int64_t> asked = choice.getInteger("asked"), warps = choice.getInteger("warps"),
                         stages = choice.getInteger("stages"),
                         minBlocks = choice.getInteger("min_blocks"),
                         cluster = choice.getInteger("cluster");
  std::optional<bool> allowSpills = choice.getBoolean("allow_spills");
  const Object *tiles = choice.getObject("tiles");
  if (!asked || *asked < 0 || *asked > int64_t(wanted.others.size()) || !warps || !stages ||
      !minBlocks || !cluster || !allowSpills || !tiles)
    return std::nullopt;
  Attempt result = askedFor(wanted, *asked);
  result.config.warps = *warps;
  result.config.stages = *stages;
  result.config.minBlocks = *minBlocks;
  result.config.cluster = *cluster;
  result.config.allowSpills = *allowSpills;
  for (const auto &[name, extent] : *tiles)
    result.specialisation.consts[name.str()] = extent.getAsInteger().value_or(0);
  return result;
}

static std::vector<std::string> rejectedOf(const Object &choice) {
  std::vector<std::string> rejected;
  if (const Array *reasons = choice.getArray("rejected"))
    for (const llvm::json::Value &reason : *reasons)
      rejected.push_back(reason.getAsString().value_or("").str());
  return rejected;
}

//===- Machine code ---------------------------------------------------------------------------===//

namespace {

/// What was read from machine code. The build that wrote it reads it, so its bytes will do.
struct CodeFacts {
  Hash128 key; ///< Of the entry that has the code, which kernels of the same text share.
  runtime::CubinInfo resources;
  runtime::SpillInfo spills;

  std::string bytes() const { return {reinterpret_cast<const char *>(this), sizeof(*this)}; }
  static std::optional<CodeFacts> fromBytes(const std::string &bytes) {
    CodeFacts facts;
    if (bytes.size() != sizeof(facts))
      return std::nullopt;
    std::memcpy(&facts, bytes.data(), sizeof(facts));
    return facts;
  }
};
static_assert(std::is_trivially_copyable_v<CodeFacts>);

} // namespace

/// Problems with the entry are not reported here: the compilation that follows will report them.
static std::optional<runtime::CompiledKernel> codeOf(const std::string &bytes,
                                                     const runtime::Cache &cache) {
  std::optional<CodeFacts> facts = CodeFacts::fromBytes(bytes);
  if (!facts)
    return std::nullopt;
  ErrorOr<std::optional<runtime::CompiledText>> text = cache.load(facts->key);
  if (!text || !*text)
    return std::nullopt;
  runtime::CompiledKernel code;
  code.performanceNotes = runtime::performanceNotes((*text)->log);
  code.text = std::move(**text);
  code.resources = facts->resources;
  code.spills = facts->spills;
  code.fromCache = true;
  code.key = facts->key;
  return code;
}

//===- Entries --------------------------------------------------------------------------------===//

std::optional<runtime::Archive> CodeCache::read(const Hash128 &key) const {
  if (!cache)
    return std::nullopt;
  ErrorOr<std::optional<runtime::Archive>> entry = cache->read(key);
  if (!entry)
    warnOnce(runtime::kNotUsed + entry.error().message);
  return entry ? std::move(*entry) : std::nullopt;
}

std::optional<Compiled> CodeCache::load(const KernelText &text, const Attempt &wanted) const {
  std::optional<runtime::Archive> entry = read(keyOf("code", text, wanted));
  if (!entry)
    return std::nullopt;
  std::optional<std::string> description = entry->take(kDescription), cuda = entry->take(kText),
                             choice = entry->take(kChoice), code = entry->take(kCode);
  if (!description || !cuda || !choice || !code)
    return std::nullopt;
  ErrorOr<runtime::KernelSource> source = runtime::kernelSourceFromJson(*description);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(*choice);
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  const Object *choices = parsed ? parsed->getAsObject() : nullptr;
  std::optional<Attempt> attempt = choices ? chosen(*choices, wanted) : std::nullopt;
  std::optional<runtime::CompiledKernel> compiled = codeOf(*code, *cache);
  if (!source || !attempt || !compiled)
    return std::nullopt;
  source->text = std::move(*cuda);
  ErrorOr<runtime::Kernel> kernel =
      runtime::Kernel::fromCompiled(std::move(*source), std::move(*compiled));
  if (!kernel)
    return std::nullopt;
  Compiled result(std::move(*kernel), wanted, std::move(*attempt));
  result.rejected = rejectedOf(*choices);
  return result;
}

void CodeCache::store(const KernelText &text, const Compiled &compiled) const {
  if (!cache)
    return;
  runtime::KernelSource source = compiled.kernel.source();
  const runtime::CompiledKernel &code = compiled.kernel.compiled();
  runtime::Archive entry;
  entry.add(kText, std::exchange(source.text, ""));
  entry.add(kDescription, toJson(source));
  entry.add(kChoice, llvm::formatv("{0}", llvm::json::Value(choiceJson(compiled))).str());
  entry.add(kCode, CodeFacts{code.key, code.resources, code.spills}.bytes());
  (void)cache->write(keyOf("code", text, compiled.wanted), entry).ok();
}

std::optional<std::string> CodeCache::loadPlan(const KernelText &text, const Attempt &wanted,
                                               Launch launch) const {
  std::optional<runtime::Archive> entry = read(keyOf("plan", text, wanted, launch));
  return entry ? entry->take(kPlan) : std::nullopt;
}

void CodeCache::storePlan(const KernelText &text, const Attempt &wanted, Launch launch,
                          const std::string &plan) const {
  if (!cache)
    return;
  runtime::Archive entry;
  entry.add(kPlan, plan);
  (void)cache->write(keyOf("plan", text, wanted, launch), entry).ok();
}
