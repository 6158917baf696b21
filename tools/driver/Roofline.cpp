#include "tools/driver/Roofline.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "ir/tile/Tile.h"
#include "runtime/Driver.h"
#include "tools/driver/Builtins.h"
#include "tools/driver/Estimate.h"
#include "tools/driver/KernelModule.h"

#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::ConstValue;
using frontend::Param;
using Values = llvm::StringMap<runtime::ExprValue>;

//===- Rates ----------------------------------------------------------------------------------===//

static constexpr Peak kPeaks[] = {
#define PEAK(...) {__VA_ARGS__},
#include "tools/driver/Peaks.def"
};

std::string_view driver::nameOf(MathUnit unit) {
  switch (unit) {
  case MathUnit::Half:
    return "16-bit products";
  case MathUnit::Tf32:
    return "tf32 products";
  case MathUnit::Float8:
    return "8-bit products";
  case MathUnit::Int8:
    return "integer products";
  case MathUnit::Float32:
    return "f32 arithmetic";
  }
  return "";
}

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

const Peak *driver::findPeak(std::string_view gpuName, std::string_view target) {
  for (const Peak &peak : kPeaks)
    if (gpuName.empty() ? peak.target == target : gpuName.find(peak.gpu) != gpuName.npos)
      return &peak;
  return nullptr;
}

const Peak *driver::peakFor(const std::string &target) {
  if (ErrorOr<const runtime::Driver *> driver = runtime::Driver::get())
    for (const runtime::DeviceInfo &device : (*driver)->devices())
      if (device.target() == target)
        return findPeak(device.name, target);
  return findPeak("", target);
}

//===- Work -----------------------------------------------------------------------------------===//

bool KernelWork::isMemoryBound(const Peak &peak) const {
  return bytes / peak.bytes >= flops() / peak.rate(unit);
}

double KernelWork::bound(const Peak &peak) const {
  return std::max(bytes / peak.bytes, flops() / peak.rate(unit));
}

KernelWork &KernelWork::operator+=(const KernelWork &next) {
  productFlops += next.productFlops;
  elementOps += next.elementOps;
  bytes += next.bytes;
  if (next.hasProducts)
    unit = next.unit;
  hasProducts |= next.hasProducts;
  return *this;
}

static MathUnit unitOf(mlir::Type type, bool tf32, const Target *target) {
  if (type.isF32())
    return tf32 ? MathUnit::Tf32 : MathUnit::Float32;
  if (type.isInteger())
    return MathUnit::Int8;
  if (type.isBF16() && target && !target->has(Feature::MmaBf16))
    return MathUnit::Float32;
  return type.getIntOrFloatBitWidth() == 8 ? MathUnit::Float8 : MathUnit::Half;
}

static void findUnit(mlir::func::FuncOp kernel, const Target *target, KernelWork &work) {
  kernel.walk([&](mlir::Operation *op) {
    if (auto dot = mlir::dyn_cast<tile::DotOp>(op))
      work.unit = unitOf(dot.getA().getType().getElementType(), dot.getTf32(), target);
    else if (auto mma = mlir::dyn_cast<cta::MmaOp>(op))
      work.unit = unitOf(cta::tileOf(mma.getA().getType()).getElementType(), mma.getTf32(), target);
    else
      return;
    work.hasProducts = true;
  });
}

static void addConst(Values &values, llvm::StringRef name, const ConstValue &value) {
  if (const bool *flag = std::get_if<bool>(&value))
    values[name] = int64_t(*flag);
  else if (const int64_t *number = std::get_if<int64_t>(&value))
    values[name] = *number;
}

/// Sizes, scalar arguments and constants by name.
static Values valuesOf(const frontend::Signature &signature, const Attempt &attempt,
                       const planner::Launch &launch) {
  Values values;
  for (const Param &param : signature.params)
    if (param.defaultValue)
      addConst(values, param.name, *param.defaultValue);
  for (const auto &entry : attempt.specialisation.consts)
    addConst(values, entry.getKey(), entry.getValue());
  auto addArgument = [&](std::string_view name) {
    if (std::optional<runtime::ExprValue> value = launch.valueOf(name))
      values[llvm::StringRef(name)] = *value;
  };
  for (const Param &param : signature.params)
    if (param.kind == Param::Scalar)
      addArgument(param.name);
  for (const frontend::DimInfo &dim : signature.dims)
    addArgument(dim.name);
  addArgument(runtime::kNumMultiprocessors);
  return values;
}

/// The bytes of a tensor; fails if its sizes are not known.
static ErrorOr<double> bytesOf(const Param &param, const Attempt &attempt, const Values &values) {
  frontend::Dtype dtype =
      param.dtype ? *param.dtype : attempt.specialisation.dtypes.lookup(param.dtypeVariable);
  double bytes =
      runtime::bytesOf(*runtime::elementTypeByName(std::string_view(frontend::dtypeName(dtype))));
  for (const frontend::Dim &dim : param.dims) {
    auto known = values.find(dim.name);
    if (!dim.name.empty() && known == values.end())
      return Error{"the size `" + dim.name + "` is not known"};
    bytes *= double(dim.name.empty() ? dim.size : std::get<int64_t>(known->getValue()));
  }
  return bytes;
}

/// The formula of defaults.json for the FLOPs of a kernel in which not all products count; or
/// empty.
static std::string flopsFormula(const KernelText &text) {
  static const llvm::json::Value all = llvm::cantFail(llvm::json::parse(builtinDefaults()));
  const llvm::json::Object *known = all.getAsObject()->getObject(text.kernel);
  if (!known || !text.builtin || text.forward)
    return "";
  return known->getString("flops").value_or("").str();
}

ErrorOr<KernelWork> driver::workOf(const KernelTextPtr &text, const Attempt &attempt,
                                   const planner::Launch &launch) {
  TILEWRIGHT_ASSIGN(KernelModule module,
                    KernelModule::lower(text, attempt.specialisation, attempt.plan));
  if (text->isCta()) // without calls
    TILEWRIGHT_TRY(module.run(attempt.config.options(), passes::Stage::Tile));
  Values values = valuesOf(text->signature(), attempt, launch);
  Work counted = estimateWork(module.kernel(), values);
  KernelWork work{.productFlops = counted.dotFlops, .elementOps = counted.elementOps};
  findUnit(module.kernel(), findTarget(attempt.config.passTarget()), work);
  for (const Param &param : text->signature().params) {
    if (param.kind != Param::Tensor || !attempt.specialisation.tensors.contains(param.name))
      continue;
    TILEWRIGHT_ASSIGN(double bytes, bytesOf(param, attempt, values));
    work.bytes += bytes * (param.read + param.written);
  }
  if (std::string formula = flopsFormula(*text); !formula.empty()) {
    TILEWRIGHT_ASSIGN(runtime::Expr flops, runtime::Expr::parse(formula));
    auto lookup = [&](std::string_view name) -> std::optional<runtime::ExprValue> {
      auto known = values.find(llvm::StringRef(name));
      return known == values.end() ? std::nullopt : std::optional(known->getValue());
    };
    TILEWRIGHT_ASSIGN(int64_t count, flops.eval(lookup));
    work.productFlops = double(count);
  }
  return work;
}
