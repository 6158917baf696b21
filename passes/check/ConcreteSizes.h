//===- ConcreteSizes.h - runs the integer arithmetic of a kernel for concrete sizes -----------===//
//
// How often loops run, and which branches are taken, follows from numbers that only a launch or
// data decide: sizes, integer arguments, the coordinates of a block's tiles, values read from
// memory. A few values of each are tried, in all combinations that make a difference.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CONCRETESIZES_H
#define TILEWRIGHT_PASSES_CHECK_CONCRETESIZES_H

#include "passes/check/Thresholds.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <random>

namespace tilewright::passes {

/// How an op computes, with all that stands in it.
struct Recipe {
  size_t number = 0; ///< The same for ops that compute alike; 0 if that cannot be said.
  llvm::SmallVector<mlir::Value> inputs;
};

/// Numbers that only a launch or data decide (sizes, arguments, the tiles of a block), chosen when
/// they are first asked for. One combination after the other: all that make a difference are seen.
class Choices {
public:
  using Candidates = llvm::SmallVector<int64_t>;

  /// What is chosen for `name`; the first time one of the candidates, of which there is one. Of
  /// many some may be left out, but none of `kept`.
  int64_t choose(const std::string &name, llvm::function_ref<Candidates()> candidates,
                 const Thresholds::Numbers &kept = {});
  std::optional<int64_t> chosen(const std::string &name) const;
  /// Goes on to the next combination; false behind the last.
  bool next();
  /// From the next combination on draws them at random (but the same each time), from all
  /// candidates.
  void draw() { generator.emplace(); }
  /// "K = 65, T = 0"
  std::string str() const;
  const Recipe &recipeOf(mlir::Operation *op);

  Thresholds thresholds; ///< Of the kernel whose numbers are chosen.

private:
  struct Choice {
    std::string name;
    Candidates candidates;
    size_t index = 0;
  };
  llvm::SmallVector<Choice> choices; // in the order in which they were asked for
  std::map<mlir::Operation *, Recipe> recipes;
  llvm::StringMap<size_t> numbers; // of recipes, by their text
  std::optional<std::mt19937> generator;
};

/// Whether a kernel can be followed with the numbers chosen.
enum class Trial {
  Possible,
  Impossible,   ///< No launch has these sizes: they break an assertion, or an extent is 0.
  TooLong,      ///< Loops run too often with these sizes.
  NotUnderstood ///< A bound or a condition is no arithmetic on sizes, arguments and tiles.
};

/// Computes integers of a role, which does one tile after the other.
class Scalars {
public:
  Scalars(Choices &choices, int64_t longest) : choices(choices), longest(longest) {}

  /// The value of an integer; nothing, and the problem is stated, where it has none.
  std::optional<int64_t> of(mlir::Value value);

  llvm::DenseMap<mlir::Value, int64_t> counters; ///< Of the loops that are under way.
  int64_t tile = 0;       ///< The number of the block's tile that is under way.
  int64_t warpgroup = 0;  ///< Which of the role's warpgroups is followed.
  bool onlyKnown = false; ///< Choose nothing new.
  Trial problem = Trial::Possible;
  std::optional<mlir::Location> obscure; ///< What is not understood.

  /// States that something is not understood.
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
  llvm::DenseMap<mlir::Value, int64_t> known; ///< What the kernel computes in front of its roles.
  llvm::DenseMap<mlir::Value, int64_t> knownOfTile; ///< And a role in front of a tile's loops.
  int64_t knownTile = 0;
};

/// True when no block runs with what has been chosen so far: the host refuses it (`tile.assert`),
/// or there are no tiles.
bool isNoLaunch(mlir::func::FuncOp kernel, Choices &choices);

} // namespace tilewright::passes

#endif
