// Sums of deviations from a mean, in the meeting in which the mean is found:
//
//   sum x                                  mean, sum (x - mean)², sum w, sum w · (x - mean)
//   sum (x - mean)², sum w · (x - mean)
//
// A norm's rows need a mean, and a variance that needs the mean. Parts of a row know their own mean
// and deviations from it, and two parts are merged without looking at their elements again
// (`cta.moments`). So the blocks of a cluster meet once for both, and elements are read once. As
// where a mean is subtracted first, errors are those of rounded means: a variance is off by about
// (mean · 2^-24)² (131072 numbers of 1000 ± 1: 4e-7 of it).
#include "passes/analysis/UniformTiles.h"
#include "passes/plan/Meetings.h"
#include "passes/say/Explain.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_JOINDEVIATIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "join-deviations";

/// A mean that a meeting finds, and sums of deviations from it that another needs.
class Joiner {
public:
  Joiner(const Meeting &first, const Meeting &second) : first(first), second(second) {}

  /// Makes one meeting of both. Changes nothing but the order of ops if it cannot.
  bool run() { return first.mayEndBefore(second) && findMean() && findWeights() && (join(), true); }

private:
  bool findMean();
  bool isDeviation(Value tile);
  bool findWeights();
  void join();
  Value sumOf(Value mean, OpBuilder &builder);

  Meeting first, second;
  size_t number = 0; ///< Of the tile in the first meeting.
  Value mean;
  SmallVector<Value> weights; ///< In the order of the result.
  /// For each sum of the second meeting its weight; null: the squares.
  SmallVector<Value> weightOf;
};

} // namespace

/// Elements of a row, of which each block of the cluster has a part.
static int64_t countOf(const Meeting &meeting) {
  auto tile = cast<RankedTensorType>(meeting.sources().front().getType());
  auto kernel = meeting.reduce->getParentOfType<func::FuncOp>();
  return tile.getDimSize(meeting.axis()) * cta::clusterOf(kernel).blocks();
}

bool Joiner::findMean() {
  for (auto [i, sum] : llvm::enumerate(first.last()->getResults()))
    for (Operation *user : sum.getUsers())
      if (user->getNumResults() == 1 &&
          dividedBy(user->getResult(0), double(countOf(first))) == sum) {
        number = i;
        mean = user->getResult(0);
        return true;
      }
  return false;
}

bool Joiner::isDeviation(Value tile) {
  auto difference = tile.getDefiningOp<arith::SubFOp>();
  return difference && difference.getLhs() == first.sources()[number] &&
         repeatedAlong(difference.getRhs(), first.axis()) == mean;
}

bool Joiner::findWeights() {
  for (auto [i, source] : llvm::enumerate(first.sources()))
    if (i != number)
      weights.push_back(source);
  for (Value source : second.sources()) {
    auto product = source.getDefiningOp<arith::MulFOp>();
    if (!product)
      return false;
    Value a = product.getLhs(), b = product.getRhs();
    if (isDeviation(a))
      std::swap(a, b);
    if (!isDeviation(b))
      return false;
    Value weight = isDeviation(a) ? Value() : a;
    weightOf.push_back(weight);
    if (!weight || llvm::is_contained(weights, weight))
      continue;
    if (!bringBefore(weight, first.reduce))
      return false;
    weights.push_back(weight);
  }
  return true;
}

/// The sum whose mean is known, for its other uses.
Value Joiner::sumOf(Value mean, OpBuilder &builder) {
  Type type = mean.getType();
  TypedAttr count = builder.getFloatAttr(getElementTypeOrSelf(type), double(countOf(first)));
  if (auto tile = dyn_cast<RankedTensorType>(type))
    count = SplatElementsAttr::get(tile, count);
  Location loc = mean.getLoc();
  return builder.create<arith::MulFOp>(loc, mean, builder.create<arith::ConstantOp>(loc, count));
}

void Joiner::join() {
  OpBuilder builder(first.reduce);
  Location loc = first.reduce->getLoc();
  SmallVector<Value> sources{first.sources()[number]};
  llvm::append_range(sources, weights);
  SmallVector<Type> types(2 * sources.size(), mean.getType());
  auto parts = builder.create<cta::MomentsOp>(loc, types, sources, first.axis());
  auto tile = cast<RankedTensorType>(sources.front().getType());
  Operation *moments = builder.create<cta::ClusterReduceOp>(
      loc, types, tile::ReduceKind::Sum, parts.getMoments(),
      builder.getI64IntegerAttr(tile.getDimSize(first.axis())));
  auto momentsOf = [&](Value weight) {
    size_t place = weight ? 1 + (llvm::find(weights, weight) - weights.begin()) : 0;
    return moments->getResults().slice(2 * place, 2);
  };
  for (auto [weight, sum] : llvm::zip(weightOf, second.last()->getResults()))
    sum.replaceAllUsesWith(momentsOf(weight)[1]);
  second.erase();
  Value found = momentsOf({})[0];
  mean.replaceAllUsesWith(found);
  mean.getDefiningOp()->erase();
  for (auto [i, sum] : llvm::enumerate(first.last()->getResults()))
    if (i != number)
      sum.replaceAllUsesWith(momentsOf(first.sources()[i])[0]);
    else if (!sum.use_empty())
      sum.replaceAllUsesWith(sumOf(found, builder));
  first.erase();
  explain(moments, kFlag).with("tiles", int64_t(sources.size()))
      << "deviations from a mean are summed when it is found: blocks meet once for both";
}

/// Joins two meetings of a cluster, if there are two to join. Within a block, to meet twice takes
/// less than to merge.
static bool joinOne(Block &block) {
  SmallVector<Meeting> meetings;
  for (Operation &op : block)
    if (auto meeting = Meeting::of(&op))
      if (auto tile = cast<RankedTensorType>(op.getOperand(0).getType());
          meeting->kind() == tile::ReduceKind::Sum && tile.getElementType().isF32())
        meetings.push_back(*meeting);
  for (auto [i, first] : llvm::enumerate(meetings))
    for (const Meeting &second : ArrayRef(meetings).drop_front(i + 1))
      if (first.sources().front().getType() == second.sources().front().getType() &&
          first.axis() == second.axis() && first.cluster && second.cluster &&
          Joiner(first, second).run())
        return true;
  return false;
}

namespace {
struct JoinDeviations : impl::JoinDeviationsBase<JoinDeviations> {
  void runOnOperation() override {
    forEachBlock(getOperation(), [](Block &block) {
      while (joinOne(block)) {
      }
    });
  }
};
} // namespace

} // namespace tilewright::passes
