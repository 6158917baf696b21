//===- TunedPlans.h - the fastest plans, by measurement ---------------------------------------===//
//
// The tuner's results (Tuner.h), by kernel, target and class of launches, in files that people can
// read and ship (docs/tuner.md). A launch with a tuned plan takes it instead of searching.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_TUNEDPLANS_H
#define TILEWRIGHT_TOOLS_DRIVER_TUNEDPLANS_H

#include "tools/driver/Binding.h"
#include "tools/driver/Configs.h"
#include "tools/driver/KernelText.h"
#include "tools/driver/PlanSearch.h"

#include <map>
#include <mutex>

namespace tilewright::driver {

/// The class of a launch: launches of one class share results.
struct LaunchClass {
  std::string kernel,
      text; ///< Its name; the hash of everything that it depends on (KernelText::contents).
  std::string target;
  /// Dtypes, constants and facts of tensors; each size as the nearest power of two; signs of
  /// scalars: "E=bf16 O=bf16; a 16, b 16, c 16; K~4096 M~8192 N~4096".
  std::string launch;
  std::map<std::string, int64_t> sizes; ///< As they are.

  static LaunchClass of(const KernelText &text, const Attempt &wanted, const Call &call);
};

/// The nearest power of two, by ratio; 0 for 0.
int64_t roundedSize(int64_t size);

/// One result of the tuner.
struct TunedPlan {
  /// A plan that took part in the contest.
  struct Rival {
    std::string plan; ///< Its title.
    double microseconds = 0;
    std::string dropped; ///< Why it was not timed; empty: it was.
  };

  LaunchClass launch;
  std::string gpu;
  double microseconds = 0;
  std::string plan;               ///< Its text; empty: no plan is as fast as the passes alone,
  Numbers numbers;                ///< with these numbers; empty: with those that they choose.
  std::vector<std::string> facts; ///< The facts that the plan refers to; its hash is of them.
  std::vector<Rival> rivals;

  /// "K=4096, M=8192, N=4096".
  std::string sizes() const;
};

/// Results by class. Thread-safe; a result is never changed.
class TunedPlans {
public:
  using Entry = std::shared_ptr<const TunedPlan>;

  /// Adds the results of a file's text; an error names the file and the result.
  Status read(std::string_view json, const std::string &file);
  /// Adds a result, in place of the one for the same sizes.
  void add(TunedPlan result);
  /// All results as the text of a file.
  std::string json() const;
  size_t size() const;

  /// The result for exactly these sizes, else the one for the nearest sizes of the class; null if
  /// there is none.
  Entry find(const LaunchClass &launch) const;
  /// Results for another text of a kernel of this name.
  std::vector<Entry> findOlder(const LaunchClass &launch) const;
  /// Whether there is any result for a kernel of this name.
  bool knows(std::string_view kernel) const;

private:
  mutable std::mutex mutex;
  std::vector<Entry> entries; ///< The last that was added counts.
};

/// The results that every launch sees: those of kernels_src/tuned, of $TILEWRIGHT_TUNED, and those
/// loaded since.
TunedPlans &loadedPlans();
/// Adds the results of a file to loadedPlans().
Status loadTuned(const std::string &path);

/// The user's own results, which `Tuned::Auto` reads and adds to: `tuned.json` in the cache.
TunedPlans &usersPlans();
std::string usersFile();
/// Adds a result to a file, which need not exist.
Status saveTuned(const TunedPlan &result, const std::string &path);

/// The known result for a launch.
struct TunedChoice {
  TunedPlans::Entry result;            ///< Null if there is none, or none that fits.
  bool isExact = false;                ///< It is for exactly these sizes, not just for the class.
  std::vector<std::string> passedOver; ///< Results that do not fit, with the fact that differs.

  /// The numbers of the result; empty if it has none.
  Numbers numbers() const { return result ? result->numbers : Numbers(); }
  /// The configuration with the plan, or with the numbers.
  Attempt apply(const Attempt &wanted) const;
};
/// The known result for a call; nothing if what it would choose is stated.
TunedChoice tunedFor(const KernelTextPtr &text, const Attempt &wanted, const Call &call);

/// The tuned plan, then the finalists of a search. A tuned plan for other sizes of the class is
/// left out if it is predicted to be clearly slower here than the best. If no plan was the fastest,
/// there are none; TunedChoice::apply then gives the configuration.
std::vector<passes::Plan> withTuned(const PlanSearch &search, const planner::Launch &launch,
                                    const TunedChoice &tuned);

/// How the kernel differs from the one that a result was measured for; empty if the difference does
/// not matter to the plan.
std::string misfit(const KernelTextPtr &text, const Attempt &wanted, const TunedPlan &result);

/// A kernel's facts under a plan, without names and lines of the source, and their hash.
struct FactLines {
  std::string hash;
  std::vector<std::string> lines;
};
ErrorOr<FactLines> factsFor(const KernelTextPtr &text, const Attempt &attempt);

} // namespace tilewright::driver

#endif
