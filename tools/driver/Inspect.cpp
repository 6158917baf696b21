#include "tools/driver/Inspect.h"

#include "tools/driver/Listing.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::driver;

ErrorOr<KernelModule> driver::moduleAt(const KernelTextPtr &text, const Attempt &wanted,
                                       std::optional<passes::Stage> stage) {
  Attempt attempt = wanted;
  if (stage && *stage != passes::Stage::Tile) {
    TILEWRIGHT_ASSIGN(Translated translated, translateFitting(text, wanted));
    attempt = std::move(translated.attempt);
  }
  TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, attempt.specialisation));
  if (stage)
    TILEWRIGHT_TRY(module.run(pipelineOptions(attempt.config), *stage));
  return module;
}

static std::string explanation(const KernelText &text, const Attempt &attempt,
                               const runtime::KernelSource &source,
                               const std::vector<std::string> &rejected,
                               const std::vector<std::string> &remarks) {
  std::string result = fmt::format("{} ({}) on {}\n", text.kernel, attempt.str(text.signature()),
                                   attempt.config.target);
  for (const std::string &reason : rejected)
    result += "  rejected: " + reason + "\n";
  for (const std::string &remark : remarks)
    result += "  " + remark + "\n";
  return result + fmt::format("  {} threads, {} bytes of shared memory\n", source.threads,
                              source.sharedBytes);
}

ErrorOr<std::string> driver::explain(const KernelTextPtr &text, const Attempt &wanted) {
  std::vector<std::string> rejected;
  TILEWRIGHT_ASSIGN(Translated translated, translateFitting(text, wanted, &rejected));
  return explanation(*text, translated.attempt, translated.source, rejected, translated.remarks);
}

std::string driver::explain(const KernelText &text, const Compiled &compiled) {
  return explanation(text, compiled.attempt, compiled.kernel.source(), compiled.rejected,
                     compiled.remarks);
}

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
