//===- Predict.h - how long a plan would take -------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_PREDICT_H
#define TILEWRIGHT_PLANNER_PREDICT_H

#include "planner/KernelModel.h"
#include "planner/Rates.h"

namespace tilewright::planner {

/// A launch: the value of a size or scalar argument by its name. What is not known is taken as
/// large.
struct Launch {
  std::function<std::optional<runtime::ExprValue>(std::string_view)> valueOf;
  int64_t multiprocessors = 0; ///< 0: those of the GPU that was measured.
};

/// Microseconds: of the whole, and of each unit if nothing else were in its way.
struct Prediction {
  double total = 0;
  double products = 0, arithmetic = 0, l2 = 0, dram = 0;
  double ends = 0;    ///< In which no product is under way.
  double balance = 1; ///< The mean block's share of the work, of the largest share.
};

Prediction predict(const KernelModel &model, const passes::Plan &plan, const Rates &rates,
                   const Launch &launch);

} // namespace tilewright::planner

#endif
