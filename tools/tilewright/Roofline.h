//===- Roofline.h - how fast a GPU could be ---------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_ROOFLINE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_ROOFLINE_H

#include "tools/tilewright/Job.h"

#include <optional>
#include <string_view>

namespace tilewright::cli {

/// What decides which units of a GPU a kernel's arithmetic runs on.
enum class MathUnit { Half, Tf32, Float8, Int8, Float32 };

/// A row of Peaks.def.
struct Peak {
  std::string_view gpu, target;
  double half, tf32, float8, int8, float32, bytes;

  double rate(MathUnit unit) const;
};

/// The peak rates of a GPU by its name, or of the usual GPU of a target.
const Peak *findPeak(std::string_view gpuName, std::string_view target);

/// What a job has to do at least.
struct JobWork {
  double flops = 0;      ///< Of matrix products; of elementwise operations if there are none.
  double elementOps = 0; ///< Of operations outside products.
  double bytes = 0;      ///< Every tensor read or written once.
  MathUnit unit = MathUnit::Float32;
  bool hasProducts = false;

  double intensity() const { return bytes > 0 ? flops / bytes : 0; }
  /// Seconds that the slower of arithmetic and memory takes at least.
  double bound(const Peak &peak) const;
  bool isMemoryBound(const Peak &peak) const;
};

ErrorOr<JobWork> workOf(const Job &job, const Sizes &sizes);

} // namespace tilewright::cli

#endif
