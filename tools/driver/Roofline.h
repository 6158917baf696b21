//===- Roofline.h - what a kernel has to do, and how fast a GPU could be ----------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ROOFLINE_H
#define TILEWRIGHT_TOOLS_DRIVER_ROOFLINE_H

#include "planner/Predict.h"
#include "tools/driver/Configs.h"
#include "tools/driver/KernelText.h"

#include <optional>
#include <string_view>

namespace tilewright::driver {

/// What decides which units of a GPU a kernel's arithmetic runs on.
enum class MathUnit { Half, Tf32, Float8, Int8, Float32 };

/// "16-bit products", …
std::string_view nameOf(MathUnit unit);

/// A row of Peaks.def.
struct Peak {
  std::string_view gpu, target;
  int64_t multiprocessors;
  double half, tf32, float8, int8, float32, bytes;

  double rate(MathUnit unit) const;
};

/// The peak rates of a GPU by its name, or of the usual GPU of a target; null if they are not
/// known.
const Peak *findPeak(std::string_view gpuName, std::string_view target);
/// Those of the GPU at hand if it is of this target, or else of the target's usual one.
const Peak *peakFor(const std::string &target);

/// What kernels have to do at least.
struct KernelWork {
  double productFlops = 0; ///< Of matrix products.
  double elementOps = 0;   ///< Of operations outside products.
  double bytes = 0;        ///< Every tensor read or written once.
  MathUnit unit = MathUnit::Float32;
  bool hasProducts = false;

  double flops() const { return hasProducts ? productFlops : elementOps; }
  double intensity() const { return bytes > 0 ? flops() / bytes : 0; }
  /// Seconds that the slower of arithmetic and memory takes at least.
  double bound(const Peak &peak) const;
  bool isMemoryBound(const Peak &peak) const;
  KernelWork &operator+=(const KernelWork &next);
};

/// The work of a launch. Fails if a size of it is not known.
ErrorOr<KernelWork> workOf(const KernelTextPtr &text, const Attempt &attempt,
                           const planner::Launch &launch);

} // namespace tilewright::driver

#endif
