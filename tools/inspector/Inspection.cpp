#include "tools/inspector/Inspection.h"

#include "ir/Target.h"
#include "tools/driver/Inspect.h"
#include "tools/driver/Resources.h"
#include "tools/driver/RoleLoops.h"
#include "tools/inspector/Grid.h"
#include "tools/inspector/Masks.h"
#include "tools/inspector/Structure.h"
#include "tools/inspector/Texts.h"
#include "tools/inspector/Time.h"

using namespace tilewright;
using namespace tilewright::inspector;
using llvm::json::Array;
using llvm::json::Object;

//===- Structure ------------------------------------------------------------------------------===//

/// Adds what each role's machine code writes.
static void addUsedRegisters(const Subject &subject, const driver::Compiled &compiled,
                             const driver::Outline &outline, Array &roles) {
  if (outline.roles.empty() || compiled.kernel.compiled().text.cubin.empty())
    return;
  auto read = subject.text->isCta() ? driver::roleCode : driver::roleCodeByRegisters;
  driver::RoleCode code = read(outline, compiled.kernel.source().entry, compiled.kernel.compiled());
  for (llvm::json::Value &role : roles)
    for (const driver::RoleOutline &known : outline.roles)
      if (role.getAsObject()->getString("name") == llvm::StringRef(known.name))
        if (unsigned used = driver::registersOf(code, known))
          (*role.getAsObject())["used"] = used;
}

static Object resourcesJson(const Subject &subject, const driver::Compiled &compiled) {
  driver::Resources resources = driver::resourcesOf(*subject.text, compiled);
  if (!resources.hasMachineCode)
    return {};
  return Object{{"registers", resources.registers},
                {"spill_bytes", resources.spillStoreBytes + resources.spillLoadBytes},
                {"blocks_per_sm", resources.occupancy.programs},
                {"limit", resources.occupancy.limit}};
}

static Status addStructure(const Subject &subject, const driver::Attempt &attempt,
                           const ErrorOr<driver::Compiled> &compiled, Object &variant) {
  const std::string &file = subject.text->file;
  TILEWRIGHT_ASSIGN(driver::Lowered lowered, driver::lowerToCuda(subject.text, attempt));
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::moduleAt(subject.text, attempt, passes::Stage::Cta));
  Array roles = rolesJson(module.kernel(), file);
  if (compiled) {
    addUsedRegisters(subject, *compiled, lowered.outline, roles);
    variant["resources"] = resourcesJson(subject, *compiled);
  }
  variant["roles"] = std::move(roles);
  variant["channels"] = channelsJson(module.kernel(), file);
  variant["shared"] = sharedJson(module.kernel(), lowered.outline);
  variant["layouts"] = layoutsJson(module.kernel(), file);
  if (const Target *target = findTarget(attempt.config.passTarget()))
    variant["shared_limit"] = target->smem;
  return {};
}

static Array masks(const Subject &subject, const driver::Attempt &attempt) {
  if (subject.text->isCta() || !subject.launch.valueOf)
    return {};
  ErrorOr<driver::KernelModule> module =
      driver::KernelModule::lower(subject.text, attempt.specialisation);
  return module ? masksJson(module->kernel(), subject.text->file, subject.launch) : Array();
}

//===- The whole ------------------------------------------------------------------------------===//

/// The configuration that compiles, or without NVRTC the first that can be translated.
static ErrorOr<driver::Attempt> attemptOf(const Subject &subject,
                                          const ErrorOr<driver::Compiled> &compiled) {
  if (compiled)
    return compiled->attempt;
  TILEWRIGHT_ASSIGN(driver::Translated translated,
                    driver::translateFitting(subject.text, subject.wanted));
  return std::move(translated.attempt);
}

static std::string titleOf(const Subject &subject, const driver::Attempt &attempt) {
  if (!subject.title.empty())
    return subject.title;
  return attempt.config.target + (attempt.config.planText.empty() ? "" : ", planned");
}

ErrorOr<Object> inspector::variantOf(const Subject &subject) {
  runtime::CompileOptions options;
  options.extraOptions.push_back("-lineinfo");
  ErrorOr<driver::Compiled> compiled = driver::compile(subject.text, subject.wanted, options);
  TILEWRIGHT_ASSIGN(driver::Attempt attempt, attemptOf(subject, compiled));
  TILEWRIGHT_ASSIGN(Object variant, driver::inspect(subject.text, attempt, "all"));
  variant["title"] = titleOf(subject, attempt);
  variant["settings"] = attempt.str(subject.text->signature());
  if (!attempt.config.planText.empty())
    variant["plan_text"] = attempt.config.planText;
  if (compiled && !compiled->rejected.empty())
    variant["rejected"] = Array(compiled->rejected);

  TILEWRIGHT_ASSIGN(std::vector<PlacedText> texts, levelsOf(subject.text, attempt));
  for (PlacedText &text : machineTexts(subject.text, compiled))
    texts.push_back(std::move(text));
  Array places, lines;
  variant["texts"] = textsJson(texts, places);
  variant["places"] = std::move(places);
  variant["passes"] = passesJson(*variant.getArray("ir"), lines);
  variant["pass_lines"] = std::move(lines);
  variant.erase("ir");

  TILEWRIGHT_TRY(addStructure(subject, attempt, compiled, variant));
  addTime(subject, attempt, compiled, variant);
  variant["grid"] = gridJson(subject.text, attempt, subject.launch);
  variant["masks"] = masks(subject, attempt);
  return variant;
}

/// The sizes of dimensions that are known.
static Object sizesOf(const driver::KernelText &text, const planner::Launch &launch) {
  Object sizes;
  for (const frontend::Param &param : text.signature().params)
    for (const frontend::Dim &dim : param.dims)
      if (auto value = launch.valueOf ? launch.valueOf(dim.name) : std::nullopt)
        if (const auto *size = std::get_if<int64_t>(&*value))
          sizes[dim.name] = *size;
  return sizes;
}

Object inspector::inspectionOf(const driver::KernelText &text, const planner::Launch &launch,
                               std::vector<Object> variants) {
  Array all;
  for (Object &variant : variants)
    all.push_back(std::move(variant));
  return Object{{"version", 1},
                {"kernel", text.kernel},
                {"file", text.file},
                {"sizes", sizesOf(text, launch)},
                {"variants", std::move(all)}};
}
