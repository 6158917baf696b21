#include "tools/driver/Inspect.h"

#include "passes/plan/Plan.h"
#include "tools/driver/Listing.h"
#include "tools/driver/Plans.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::driver;

ErrorOr<KernelModule> driver::moduleAt(const KernelTextPtr &text, const Attempt &wanted,
                                       std::optional<passes::Stage> stage) {
  Attempt attempt = wanted;
  // A stated configuration is compiled as it is, or not at all; a plan that was found has others.
  bool isStated = text->isCta() || (!wanted.config.planText.empty() && wanted.others.empty());
  if (stage && !isStated) {
    ErrorOr<Translated> translated = translateFitting(text, wanted);
    // What cannot be translated still has a `tile` level, which may show why.
    if (!translated && *stage != passes::Stage::Tile)
      return translated.error();
    if (translated)
      attempt = std::move(translated->attempt);
  }
  if (!stage)
    return KernelModule::lower(text, attempt.specialisation, attempt.plan);
  TILEWRIGHT_ASSIGN(KernelModule module, loadModule(text, attempt));
  TILEWRIGHT_TRY(module.run(attempt.config.options(), *stage));
  return module;
}

/// The result of `use` on a kernel's facts, while their module exists.
template <typename Use>
static ErrorOr<std::string> withFacts(const KernelTextPtr &text, const Attempt &attempt, Use use) {
  TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, attempt.specialisation));
  TILEWRIGHT_ASSIGN(passes::KernelFacts facts,
                    module.facts(attempt.config.options(), attempt.config.planText));
  return use(facts);
}

static void indent(std::string &text, llvm::StringRef lines, llvm::StringRef by) {
  for (; !lines.empty(); lines = lines.split('\n').second)
    text += (by + lines.split('\n').first + "\n").str();
}

/// A plan, with its ids explained in comments; reading it back gives the same plan.
static ErrorOr<std::string> explainPlan(const KernelTextPtr &text, const Attempt &attempt) {
  const std::string &plan = attempt.config.planText;
  return plan.empty() ? std::string() : withFacts(text, attempt, [&](auto &facts) {
    std::string result;
    indent(result, plan, "  ");
    for (llvm::StringRef entry : attempt.config.planEntries)
      indent(result, ("given " + entry.split(':').first + "; what is not, was found").str(),
             "    # ");
    indent(result, "facts " + facts.hash(), "    # ");
    indent(result, facts.str(), "    # ");
    return result;
  });
}

static ErrorOr<std::string> explanation(const KernelTextPtr &text, const Attempt &attempt,
                                        const runtime::KernelSource &source,
                                        const std::vector<std::string> &rejected,
                                        const std::vector<Remark> &remarks) {
  std::string config = attempt.str(text->signature());
  std::string result =
      fmt::format("{}{} on {}\n", text->kernel, config.empty() ? "" : " (" + config + ")",
                  attempt.config.target);
  if (std::string plan = describePlan(*text, attempt.plan); !plan.empty())
    result += "  " + plan + "\n";
  TILEWRIGHT_ASSIGN(std::string given, explainPlan(text, attempt));
  result += given;
  for (const std::string &reason : rejected)
    result += "  rejected: " + reason + "\n";
  for (const Remark &remark : remarks)
    result += "  " + remark.str() + "\n";
  return result + fmt::format("  {} threads, {} bytes of shared memory\n", source.threads,
                              source.sharedBytes);
}

ErrorOr<std::string> driver::explain(const KernelTextPtr &text, const Attempt &wanted) {
  std::vector<std::string> rejected;
  TILEWRIGHT_ASSIGN(Translated translated, translateFitting(text, wanted, &rejected));
  return explanation(text, translated.attempt, translated.source, rejected, translated.remarks);
}

ErrorOr<std::string> driver::explain(const KernelTextPtr &text, const Compiled &compiled) {
  TILEWRIGHT_ASSIGN(Translated translated, translate(text, compiled.attempt));
  return explanation(text, compiled.attempt, translated.source, compiled.rejected,
                     translated.remarks);
}

ErrorOr<std::string> driver::explainFacts(const KernelTextPtr &text, const Attempt &wanted) {
  if (text->isCta())
    return Error{"`" + text->kernel + "` is a program of the `cta` level, which states its plan"};
  return withFacts(text, wanted, [&](auto &facts) {
    return text->kernel + ", facts " + facts.hash() + "\n" + facts.str();
  });
}

//===- As data --------------------------------------------------------------------------------===//

/// The IR behind each pass that changed something, for the configuration that is compiled.
static ErrorOr<llvm::json::Array> keptIr(const KernelTextPtr &text, const Attempt &attempt,
                                         const std::string &after) {
  TILEWRIGHT_ASSIGN(KernelModule module,
                    KernelModule::lower(text, attempt.specialisation, attempt.plan));
  llvm::json::Array kept;
  auto keep = [&](llvm::StringRef pass) {
    if (after == "all" || pass == after)
      kept.push_back(llvm::json::Object{{"pass", pass}, {"ir", module.str()}});
  };
  TILEWRIGHT_TRY(carryOut(module, attempt, keep));
  TILEWRIGHT_TRY(module.run(attempt.config.options(), passes::Stage::Cuda, keep));
  return kept;
}

/// What was stated or found by trying; the rest is in the remarks of `bind-config`.
static llvm::json::Object configuration(const KernelText &text, const Attempt &attempt) {
  llvm::json::Object result;
  for (const frontend::Param &param : text.signature().params)
    if (param.kind == frontend::Param::Tune) {
      frontend::ConstValue value = attempt.tuneValue(param);
      if (const int64_t *number = std::get_if<int64_t>(&value))
        result[param.name] = *number;
      else
        result[param.name] = toString(value);
    }
  if (attempt.config.warps)
    result["warps"] = attempt.config.warps;
  if (attempt.config.stages)
    result["stages"] = attempt.config.stages;
  return result;
}

ErrorOr<llvm::json::Object> driver::inspect(const KernelTextPtr &text, const Attempt &wanted,
                                            const std::string &irAfter) {
  std::vector<std::string> rejected;
  TILEWRIGHT_ASSIGN(Translated translated, translateFitting(text, wanted, &rejected));
  llvm::json::Array remarks;
  for (const Remark &remark : translated.remarks)
    remarks.push_back(remark.json());
  llvm::json::Object result{{"kernel", text->kernel},
                            {"target", translated.attempt.config.target},
                            {"configuration", configuration(*text, translated.attempt)},
                            {"threads", translated.source.threads},
                            {"shared_bytes", translated.source.sharedBytes},
                            {"rejected", llvm::json::Array(rejected)},
                            {"remarks", std::move(remarks)}};
  if (text->plans.size() > 1)
    result["plan"] =
        llvm::json::Object{{"name", text->plans.name(wanted.plan)},
                           {"number", int64_t(wanted.plan) + 1},
                           {"conditions", llvm::json::Array(text->plans.conditions(wanted.plan))}};
  if (!wanted.config.planText.empty()) {
    TILEWRIGHT_ASSIGN(passes::Plan plan, passes::Plan::parse(wanted.config.planText));
    result["plan"] = plan.json();
  }
  if (!irAfter.empty()) {
    TILEWRIGHT_ASSIGN(llvm::json::Array kept, keptIr(text, translated.attempt, irAfter));
    result["ir"] = std::move(kept);
  }
  return result;
}

//===- Listings -------------------------------------------------------------------------------===//

ErrorOr<std::string> driver::cudaListing(const KernelTextPtr &text, const Attempt &wanted) {
  TILEWRIGHT_ASSIGN(KernelModule module, moduleAt(text, wanted, passes::Stage::Cuda));
  return module.cudaText(/*sourceComments=*/true, /*lineDirectives=*/false);
}

ErrorOr<std::string> driver::ptxListing(const KernelTextPtr &text, const Attempt &wanted) {
  runtime::CompileOptions options;
  options.extraOptions.push_back("-lineinfo");
  TILEWRIGHT_ASSIGN(Compiled compiled, compile(text, wanted, options));
  return annotatePtx(compiled.kernel.compiled().text.ptx, *text);
}
