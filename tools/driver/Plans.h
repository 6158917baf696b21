//===- Plans.h - the compiled plans of a kernel -----------------------------------------------===//
//
// A kernel has one plan or several (runtime/PlanChoice.h): a program of the `cta` level has those
// of its text, a kernel in the language has one for each specialisation.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_PLANS_H
#define TILEWRIGHT_TOOLS_DRIVER_PLANS_H

#include "tools/driver/Binding.h"
#include "tools/driver/Compiler.h"
#include "tools/driver/PlanSearch.h"
#include "tools/driver/TunedPlans.h"

#include <atomic>
#include <deque>
#include <shared_mutex>

namespace tilewright::driver {

/// The GPU with a call's tensors: -1 if they are in host memory, 0 if there are none.
int deviceOf(const Call &call);

/// The number of SMs for a launch: that of the GPU, or of the interpreter and the simulator if
/// `device` is negative.
ErrorOr<int64_t> multiprocessorsOf(int device);

/// The number of SMs of the GPU at hand if it is of this target; else 0.
int64_t multiprocessorsAtHand(const std::string &target);

/// The plans of a kernel for one specialisation, in the order in which a launch tries them.
/// Thread-safe.
class Plans {
public:
  Plans(KernelTextPtr text, Attempt wanted);

  /// The plan of the text that a call takes on a GPU, or on the host if `device` is negative.
  ErrorOr<size_t> choose(const Call &call, int device) const;

  /// The code for a call. It is compiled when it is first needed: for the plan that the call takes,
  /// or for the best plan that is found for its sizes and can be compiled.
  ErrorOr<Memo::Result> find(const Call &call, int device, Memo &memo);

private:
  /// Sizes, repeated axes and signs of scalars, on which the plan depends.
  using Shape = llvm::SmallVector<int64_t, 16>;
  struct ShapeHash {
    size_t operator()(const Shape &shape) const;
  };
  static Shape shapeOf(const Call &call);
  ErrorOr<Memo::Result> findStated(const Call &call, int device, Memo &memo);
  ErrorOr<Memo::Result> findPlanned(const Call &call, int device, Memo &memo);
  Memo::Result recall(llvm::ArrayRef<int64_t> launch, Memo &memo) const;
  Memo::Result takeBest(const planner::Launch &launch, const TunedChoice &tuned, Memo &memo) const;
  ErrorOr<Memo::Result> findBest(const Call &call, int device, const Shape &shape, Memo &memo);
  TunedChoice chooseTuned(const Call &call, int device, Memo &memo);
  bool findsPlans();

  struct Entry {
    std::once_flag once;
    Memo::Result result;
  };

  KernelTextPtr text;
  std::vector<Attempt> attempts;
  std::deque<Entry> entries; ///< A deque, since a flag cannot be moved.
  std::once_flag asked, searched;
  std::atomic<bool> mayFind = false; ///< Whether plans may be found, as far as is known.
  bool mayBeTuned = false;           ///< Whether the tuner may have something to say.
  std::optional<PlanSearch> search;
  std::mutex tuning;
  bool tuningFailed = false; ///< It is not tried again.
  std::shared_mutex mutex;
  std::unordered_map<Shape, Memo::Result, ShapeHash> planned; ///< By shape.
};

/// "plan 1 of 2, `few_rows`: where M <= 64"; empty for the only plan of a kernel.
std::string describePlan(const KernelText &text, size_t plan);

/// Sets the plan of an attempt to the one that the call takes.
Status choosePlan(const KernelTextPtr &text, const Call &call, int device, Attempt &attempt);

} // namespace tilewright::driver

#endif
