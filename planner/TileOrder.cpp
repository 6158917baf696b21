#include "planner/TileOrder.h"

#include <algorithm>
#include <queue>

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;

namespace {

/// Blocks that take tiles in turn, or whenever one is free.
class Blocks {
public:
  Blocks(int64_t count, bool isQueue) : shares(size_t(count), 0.0), isQueue(isQueue) {
    for (int64_t block = 0; isQueue && block < count; ++block)
      free.push(0);
  }

  void take(double work) {
    if (!isQueue) {
      shares[next] += work;
      next = next + 1 == shares.size() ? 0 : next + 1;
      return;
    }
    double begin = free.top();
    free.pop();
    free.push(begin + work);
    last = std::max(last, begin + work);
  }

  double longest() const {
    return isQueue ? last : *std::max_element(shares.begin(), shares.end());
  }

private:
  std::vector<double> shares;
  bool isQueue;
  size_t next = 0;
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  double last = 0;
};

} // namespace

double planner::longestShare(llvm::ArrayRef<int64_t> extents, const Plan::Blocks &order,
                             int64_t count, llvm::function_ref<double(const TilePlace &)> workOf) {
  std::vector<int64_t> axes = order.axes;
  for (int64_t axis = 0; axes.size() < extents.size(); ++axis)
    axes.push_back(axis);
  Blocks blocks(count, order.queue);
  TilePlace place(extents.size(), 0);
  int64_t rows = extents[axes[0]], columns = axes.size() > 1 ? extents[axes[1]] : 1;
  int64_t group = order.grouped ? std::min(order.grouped, rows) : rows, outer = 1;
  for (size_t axis = 2; axis < axes.size(); ++axis)
    outer *= extents[axes[axis]];
  int64_t bands = (rows + group - 1) / std::max<int64_t>(1, group), left = bands * outer;
  for (int64_t number = 0; number < outer; ++number) {
    int64_t rest = number;
    for (size_t axis = 2; axis < axes.size(); ++axis) {
      place[axes[axis]] = rest % extents[axes[axis]];
      rest /= extents[axes[axis]];
    }
    for (int64_t first = 0; first < rows; first += group, --left)
      for (int64_t column = 0; column < columns; ++column) {
        bool isBack = order.descending || (order.folded && left % 2);
        if (axes.size() > 1)
          place[axes[1]] = isBack ? columns - 1 - column : column;
        for (int64_t row = first; row < std::min(first + group, rows); ++row) {
          place[axes[0]] = row;
          blocks.take(workOf(place));
        }
      }
  }
  return blocks.longest();
}
