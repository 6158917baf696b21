#include "tools/tilewright/Roofline.h"

#include "ir/cta/Cta.h"
#include "ir/tile/Tile.h"
#include "tools/driver/Estimate.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::cli;

static constexpr Peak kPeaks[] = {
#define PEAK(...) {__VA_ARGS__},
#include "tools/tilewright/Peaks.def"
};

double Peak::rate(MathUnit unit) const {
  switch (unit) {
  case MathUnit::Half:
    return half;
  case MathUnit::Tf32:
    return tf32 ? tf32 : float32;
  case MathUnit::Float8:
    return float8 ? float8 : half;
  case MathUnit::Int8:
    return int8;
  case MathUnit::Float32:
    return float32;
  }
  return float32;
}

const Peak *cli::findPeak(std::string_view gpuName, std::string_view target) {
  for (const Peak &peak : kPeaks)
    if (gpuName.empty() ? peak.target == target : gpuName.find(peak.gpu) != gpuName.npos)
      return &peak;
  return nullptr;
}

bool JobWork::isMemoryBound(const Peak &peak) const {
  return bytes / peak.bytes >= flops / peak.rate(unit);
}

double JobWork::bound(const Peak &peak) const {
  return std::max(bytes / peak.bytes, flops / peak.rate(unit));
}

static MathUnit unitOf(mlir::Type type, bool tf32) {
  if (type.isF32())
    return tf32 ? MathUnit::Tf32 : MathUnit::Float32;
  if (type.isInteger())
    return MathUnit::Int8;
  return type.getIntOrFloatBitWidth() == 8 ? MathUnit::Float8 : MathUnit::Half;
}

/// Adds one step's own counts.
static Status addStep(const Job &job, const Step &step, const Sizes &sizes, JobWork &work) {
  TILEWRIGHT_ASSIGN(driver::Attempt attempt, attemptFor(job, step, sizes));
  TILEWRIGHT_ASSIGN(driver::KernelModule module,
                    driver::KernelModule::lower(step.text, attempt.specialisation, attempt.plan));
  if (step.text->isCta()) // without calls
    TILEWRIGHT_TRY(module.run(attempt.config.options(), passes::Stage::Tile));
  driver::Work counted = driver::estimateWork(module.kernel(), valuesOf(job, step, sizes));
  work.flops += counted.dotFlops;
  work.elementOps += counted.elementOps;
  module.kernel().walk([&](mlir::Operation *op) {
    if (auto dot = mlir::dyn_cast<tile::DotOp>(op))
      work.unit = unitOf(dot.getA().getType().getElementType(), dot.getTf32());
    else if (auto mma = mlir::dyn_cast<cta::MmaOp>(op))
      work.unit = unitOf(cta::tileOf(mma.getA().getType()).getElementType(), mma.getTf32());
    else
      return;
    work.hasProducts = true;
  });
  for (const frontend::Param &param : step.signature().params) {
    if (param.kind != frontend::Param::Tensor || step.absent.contains(param.name))
      continue;
    double elements = 1;
    for (int64_t size : job.shapeOf(param, sizes))
      elements *= double(size);
    work.bytes += elements * bytesOf(job.typeOf(param)) * (param.read + param.written);
  }
  return {};
}

ErrorOr<JobWork> cli::workOf(const Job &job, const Sizes &sizes) {
  JobWork work;
  for (const Step &step : job.steps)
    TILEWRIGHT_TRY(addStep(job, step, sizes, work));
  if (!work.hasProducts)
    work.flops = work.elementOps;
  if (job.flops.empty())
    return work;
  llvm::StringMap<runtime::ExprValue> values = valuesOf(job, job.steps.front(), sizes);
  TILEWRIGHT_ASSIGN(runtime::Expr formula, runtime::Expr::parse(job.flops));
  auto lookup = [&](std::string_view name) -> std::optional<runtime::ExprValue> {
    auto entry = values.find({name.data(), name.size()});
    return entry == values.end() ? std::nullopt : std::optional(entry->second);
  };
  TILEWRIGHT_ASSIGN(int64_t flops, formula.eval(lookup));
  work.flops = double(flops);
  return work;
}
