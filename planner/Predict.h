//===- Predict.h - predicts the time of a plan ------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_PREDICT_H
#define TILEWRIGHT_PLANNER_PREDICT_H

#include "planner/KernelModel.h"
#include "planner/Rates.h"

namespace tilewright::planner {

/// A launch: values of sizes and scalar arguments by name. An unknown size counts as large.
struct Launch {
  std::function<std::optional<runtime::ExprValue>(std::string_view)> valueOf;
  int64_t multiprocessors = 0; ///< 0: as many as the GPU that was measured.
  /// Whether the rows of a tensor along an axis are one and the same (a stride of 0), as those of a
  /// bias that is expanded over a batch. Not set: none are.
  std::function<bool(std::string_view tensor, size_t axis)> isRepeated = {};
};

/// Microseconds: in total, and for each unit alone.
struct Prediction {
  double total = 0;
  double products = 0, arithmetic = 0, l2 = 0, dram = 0;
  double ends = 0;    ///< Epilogues, while nothing is multiplied.
  double balance = 1; ///< Work of the mean block, relative to the most loaded one.
};

Prediction predict(const KernelModel &model, const passes::Plan &plan, const Rates &rates,
                   const Launch &launch);

} // namespace tilewright::planner

#endif
