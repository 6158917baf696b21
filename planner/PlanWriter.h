//===- PlanWriter.h - writes a plan of a given structure ------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_PLANWRITER_H
#define TILEWRIGHT_PLANNER_PLANWRITER_H

#include "ir/Target.h"
#include "planner/Structures.h"
#include "support/ErrorOr.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright::planner {

/// Writes one plan.
class PlanWriter {
public:
  /// `given` has the channels that the user states.
  PlanWriter(const KernelModel &model, const Target &target, const Structure &structure,
             const passes::Plan &given)
      : model(model), target(target), is(structure), given(given), isChained(hasChains(model)) {}

  /// The plan, or why it is impossible.
  ErrorOr<passes::Plan> write();

private:
  static constexpr int64_t kThreads = 128; ///< Of a warpgroup.

  Status writeProducts();
  Status writeProduct(const ProductModel &product);
  int64_t ownRegisters() const;
  int64_t endRegisters() const;
  int64_t columnRegisters() const;
  Status writeRoles();
  void addComputingRoles();
  Status writeChannels();
  Status writeSlots();
  void writeEnds(int level);
  void writeBlocks();
  void writeLoops();
  void writeLoop(const LoopModel &loop, int number);
  void writeTilesOrder();
  ErrorOr<int64_t> fillSlots();
  int64_t leastSlots() const;

  /// Whether a role loads it: operands, and what TMA can load beside them, in a loop or behind it.
  bool isStream(const StreamModel &stream) const {
    if (!stream.notByRole.empty() || stream.isOperand)
      return stream.notByRole.empty();
    bool isBeside =
        stream.loop == kNoLoop ? isBesideLoops(stream) : operandIn(stream.loop) != nullptr;
    return isBeside && (stream.notByTma.empty() || isCopied(stream));
  }
  /// Whether it is a row or column of numbers beside operands of a loop that TMA loads, and cannot
  /// load itself: one that starts anywhere, such as a part of a packed batch. A warp copies it.
  bool isCopied(const StreamModel &stream) const {
    const StreamModel *operand = stream.isOperand ? nullptr : operandIn(stream.loop);
    return operand && operand->notByTma.empty() && stream.loop != kNoLoop &&
           stream.shape.size() == 1 && !stream.notByTma.empty() && stream.notByRole.empty();
  }
  /// Whether it may be a row or column that the epilogue needs (a bias), or that is read between
  /// products (the starts of documents), or a tile of the epilogue (a residual). Behind a loop that
  /// stream-K divides there are no streams.
  bool isBesideLoops(const StreamModel &stream) const {
    bool isWanted = stream.shape.size() == 1 || is.loadsBeside || given.channelOf(stream.id);
    return isWanted && (stream.shape.size() == 1 || stream.isBeside()) && !is.isSplit;
  }
  /// Whether TMA cannot load some operand, so that threads have to.
  bool byThreads() const {
    return llvm::any_of(model.streams, [&](const StreamModel &stream) {
      return isStream(stream) && !stream.notByTma.empty() && !isCopied(stream);
    });
  }
  /// Whether another role can compute this tile, and it lies in shared memory.
  bool isMade(const ComputedModel &tile) const { return isShared(tile) && !tile.isFromProduct; }
  bool isShared(const ComputedModel &tile) const {
    return is.isSwapped ? tile.isSharedSwapped : tile.isShared;
  }
  /// Whether the consumer writes computed tiles to shared memory, because no other role does.
  bool putsTiles() const {
    return llvm::any_of(model.computed, [&](const ComputedModel &tile) {
      return isShared(tile) && (!isMade(tile) || !makers() || byThreads());
    });
  }
  /// Warpgroups of the role that computes operands.
  int64_t makers() const {
    bool areSome = llvm::any_of(model.computed, [&](auto &tile) { return isMade(tile); });
    return areSome ? is.makers : 0;
  }
  /// Registers of a thread of that role. If it only transposes, it holds a tile's words twice;
  /// where registers are tight, ptxas gets by with 17 to 22 besides holding them once.
  int64_t makerRegisters() const {
    constexpr int64_t kConverts = 120, kUnit = Target::kRegisterUnit;
    int64_t words = 0, threads = kThreads * makers();
    for (const ComputedModel &tile : model.computed)
      if (isMade(tile))
        words = tile.isTurned ? std::max(words, tile.bytes / 4 / threads) : kConverts;
    int64_t needs = is.computingGroups() > 2 ? words + 32 : 2 * words + 24;
    return std::min(kConverts, needs / kUnit * kUnit);
  }
  /// The stream with whose slots those of `stream` change hands.
  const StreamModel *leaderOf(const StreamModel &stream) const;
  /// The first stream in a loop that is an operand; null if there is none.
  const StreamModel *operandIn(int loop) const {
    auto found = llvm::find_if(model.streams, [&](const StreamModel &stream) {
      return stream.loop == loop && stream.isOperand;
    });
    return found == model.streams.end() ? nullptr : &*found;
  }
  bool isBehind(const ProductModel &product) const {
    if (product.loop == kNoLoop || !model.loops[product.loop].isIdleBehind)
      return false;
    return product.behind.empty() ? is.makesAhead && !isLeftShared(product) : is.isSkewed;
  }
  /// Whether the product reads its left operand from shared memory.
  bool isLeftShared(const ProductModel &product) const {
    return is.isSwapped ? product.isSharedSwapped : product.isShared;
  }
  /// The loop that stream-K can divide; null if there is none.
  const LoopModel *splitLoop() const {
    return model.loops.size() == 1 && model.loops.front().carriesSums &&
                   model.loops.front().axes.empty()
               ? &model.loops.front()
               : nullptr;
  }
  /// Registers of a thread when the kernel starts. The loading roles are one warpgroup.
  int64_t startRegisters() const {
    int64_t threads = (1 + makers() + is.computingGroups()) * kThreads * is.perSm;
    return Target::kRegistersPerSm / threads / Target::kRegisterUnit * Target::kRegisterUnit;
  }

  const KernelModel &model;
  const Target &target;
  const Structure &is;
  const passes::Plan &given;
  const bool isChained; ///< Products depend on other products.
  passes::Plan plan;
  int64_t productRegisters = 0; ///< Of a consumer's thread, for sums and operands.
};

} // namespace tilewright::planner

#endif
