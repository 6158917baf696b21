//===- ConcreteSizes.h - evaluates a kernel's integer arithmetic for concrete sizes -----------===//
//
// Trip counts and branches depend on numbers that only a launch or data decide: sizes, integer
// arguments, coordinates of tiles, values read from memory. The check tries a few values of each,
// in all combinations that make a difference.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CONCRETESIZES_H
#define TILEWRIGHT_PASSES_CHECK_CONCRETESIZES_H

#include "passes/check/Thresholds.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <random>

namespace tilewright::passes {

/// How an op computes, including the ops in its regions.
struct Recipe {
  size_t number = 0; ///< Equal for ops that compute alike; 0 if that is not known.
  llvm::SmallVector<mlir::Value> inputs;
};

/// Numbers that only a launch or data decide (sizes, arguments, the tiles of a block). A number is
/// chosen when it is first needed. The combinations are visited one after the other, until all that
/// make a difference were seen.
class Choices {
public:
  using Candidates = llvm::SmallVector<int64_t>;

  /// The number for `name`. At the first request it is chosen from the candidates, of which there
  /// is at least one. If there are many, some may be left out, but none of `kept`.
  int64_t choose(const std::string &name, llvm::function_ref<Candidates()> candidates,
                 const Thresholds::Numbers &kept = {});
  std::optional<int64_t> chosen(const std::string &name) const;
  /// Moves to the next combination; false behind the last one.
  bool next();
  /// From the next combination on, draws them at random (reproducibly) from all candidates.
  void draw() { generator.emplace(); }
  /// "K = 65, T = 0"
  std::string str() const;
  const Recipe &recipeOf(mlir::Operation *op);

  Thresholds thresholds; ///< Of the kernel that is checked.

private:
  struct Choice {
    std::string name;
    Candidates candidates;
    size_t index = 0;
  };
  llvm::SmallVector<Choice> choices; // in the order of the first requests
  std::map<mlir::Operation *, Recipe> recipes;
  llvm::StringMap<size_t> numbers; // of recipes, by their text
  std::optional<std::mt19937> generator;
};

/// Whether a kernel can be traced with the chosen numbers.
enum class Trial {
  Possible,
  Impossible,   ///< No launch has these sizes: they violate an assertion, or an extent is 0.
  TooLong,      ///< Loops run too often with these sizes.
  NotUnderstood ///< A bound or a condition is not computed from sizes, arguments and tiles.
};

/// Evaluates integers of a role that processes one tile after the other.
class Scalars {
public:
  Scalars(Choices &choices, int64_t longest) : choices(choices), longest(longest) {}

  /// The value of an integer. If it has none, states the problem and returns nothing.
  std::optional<int64_t> of(mlir::Value value);

  llvm::DenseMap<mlir::Value, int64_t> counters; ///< Counters of the loops around the current op.
  int64_t tile = 0;                              ///< The number of the block's current tile.
  int64_t warpgroup = 0;                         ///< The warpgroup of the role that is traced.
  bool onlyKnown = false;                        ///< Do not choose new numbers.
  Trial problem = Trial::Possible;
  std::optional<mlir::Location> obscure; ///< The place that is not understood.

  /// Records that the op at this place is not understood.
  void giveUp(mlir::Location at) {
    problem = Trial::NotUnderstood;
    obscure = at;
  }

private:
  std::optional<int64_t> impossible() {
    if (problem == Trial::Possible)
      problem = Trial::Impossible;
    return std::nullopt;
  }
  std::optional<int64_t> choose(mlir::Value value, const std::string &name);
  std::optional<int64_t> argument(mlir::BlockArgument argument);
  std::optional<int64_t> part(cta::TilesOp tiles, bool end);
  std::optional<int64_t> compute(mlir::Operation *op, llvm::ArrayRef<int64_t> operands);
  std::string nameOf(mlir::Value value);
  std::string textOf(mlir::Operation *outer);
  std::string inputText(mlir::Value value);
  std::optional<int64_t> coordinate(cta::TilesOp tiles, unsigned axis);
  Choices::Candidates candidatesFor(mlir::Value value);

  std::optional<int64_t> evaluate(mlir::Value value);

  Choices &choices;
  int64_t longest;
  llvm::DenseMap<mlir::Value, int64_t> known; ///< Values that the kernel computes before its roles.
  llvm::DenseMap<mlir::Value, int64_t>
      knownOfTile; ///< Values that a role computes before a tile's loops.
  int64_t knownTile = 0;
};

/// True if no block runs with the numbers chosen so far: the host refuses the launch
/// (`tile.assert`), or there are no tiles.
bool isNoLaunch(mlir::func::FuncOp kernel, Choices &choices);

} // namespace tilewright::passes

#endif
