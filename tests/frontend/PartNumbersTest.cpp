// Parts of tensors, `x[a:b, :]`, along each axis of each rank: what they load, store and add to,
// with bounds that are read from a tensor. The model cuts and counts as docs/language.md says.
#include "tests/frontend/KernelNumbers.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewright::frontend {

constexpr int64_t kTile = 4;   // along each axis
constexpr int64_t kFirst = -1; // of the tile, along the axis of the part

/// [first, first + size) of a tensor's axis, of which parts are taken as the language cuts them.
struct Part {
  int64_t first, size;
  Part of(int64_t start, int64_t stop) const {
    int64_t low = std::clamp<int64_t>(start, 0, size), high = std::clamp(stop, low, size);
    return {first + low, high - low};
  }
};

class PartNumbers : public KernelNumbers {
protected:
  /// `x[…]` with `subscript` along an axis and `others` along the rest.
  static std::string at(int64_t rank, int64_t axis, std::string subscript, std::string others) {
    std::vector<std::string> all(rank, others);
    all[axis] = subscript;
    return "[" + llvm::join(all, ", ") + "]";
  }

  static std::string kernel(int64_t rank, int64_t axis) {
    std::vector<std::string> names{"P", "Q", "R", "S"}, tile(rank, std::to_string(kTile));
    names.resize(rank);
    std::string dims = llvm::join(names, ", ");
    std::string outer = at(rank, axis, "n[0]:n[1]", ":"), inner = at(rank, axis, "n[2]:n[3]", ":");
    std::string box = at(rank, axis, "span(-1, 4)", "iota(4)");
    return "from tilewright import *\n"
           "P, Q, R, S = dims(\"P Q R S\")\n"
           "@kernel\n"
           "def parts(x: Tensor[f32, " +
           dims + "], n: Tensor[i32, 4], t: Tensor[f32, " + llvm::join(tile, ", ") +
           "], y: Tensor[f32, " + dims + "], z: Tensor[f32, " + dims +
           "], sizes: Tensor[i32, 2]):\n"
           "    i = grid(1)\n"
           "    a = x" +
           outer +
           "\n"
           "    b = a" +
           inner +
           "\n"
           "    t" +
           at(rank, axis, ":", ":") + " = b" + box +
           "\n"
           "    y" +
           outer + inner + box +
           " = 7\n"
           "    atomic_add(z" +
           outer + inner + box +
           ", 1)\n"
           "    sizes[0], sizes[1] = a.shape[" +
           std::to_string(axis) + "], b.shape[" + std::to_string(axis) + "]\n";
  }

  static constexpr int64_t kSizes[] = {5, 3, 4, 6};

  void check(int64_t rank, int64_t axis, std::array<int64_t, 4> bounds) {
    SCOPED_TRACE(testing::Message() << "axis " << axis << " of " << rank << ", bounds " << bounds[0]
                                    << ":" << bounds[1] << ", " << bounds[2] << ":" << bounds[3]);
    std::vector<int64_t> shape(kSizes, kSizes + rank), tile(rank, kTile);
    int64_t count = 1, tileCount = 1;
    for (int64_t size : shape)
      count *= size, tileCount *= kTile;
    Array &x = random("f32", count), &t = harness.zeros("f32", tileCount);
    Array &n = harness.array("i32", Numbers(bounds.begin(), bounds.end()));
    Array &y = harness.zeros("f32", count), &z = harness.zeros("f32", count);
    Array &sizes = harness.array("i32", {-1, -1});
    runText(kernel(rank, axis), "parts", {},
            {view(x, shape), view(n, {4}), view(t, tile), view(y, shape), view(z, shape),
             view(sizes, {2})});

    Part outer = Part{0, shape[axis]}.of(bounds[0], bounds[1]);
    Part inner = outer.of(bounds[2], bounds[3]);
    Numbers values = x.values(), loaded(tileCount), stored(count), added(count);
    for (int64_t i = 0; i < tileCount; ++i) {
      int64_t element = 0, rest = i;
      bool inside = true;
      for (int64_t d = rank - 1, stride = 1; d >= 0; stride *= shape[d--], rest /= kTile) {
        int64_t index = rest % kTile + (d == axis ? kFirst : 0);
        inside &= index >= 0 && index < (d == axis ? inner.size : shape[d]);
        element += stride * (index + (d == axis ? inner.first : 0));
      }
      if (inside)
        loaded[i] = values[element], stored[element] = 7, added[element] = 1;
    }
    EXPECT_EQ(t.values(), loaded);
    EXPECT_EQ(y.values(), stored);
    EXPECT_EQ(z.values(), added);
    EXPECT_EQ(sizes.values(), Numbers({double(outer.size), double(inner.size)}));
  }
};

TEST_F(PartNumbers, alongEachAxis) {
  constexpr int64_t kLeast = INT32_MIN, kMost = INT32_MAX;
  for (int64_t rank = 1; rank <= 4; ++rank)
    for (int64_t axis = 0; axis < rank; ++axis)
      for (std::array<int64_t, 4> bounds : {std::array<int64_t, 4>{0, 99, 0, 99},
                                            {1, 3, 0, 99},
                                            {1, 4, 1, 2},
                                            {0, 2, 1, 99},
                                            {2, 2, 0, 1},                   // empty
                                            {3, 1, 0, 1},                   // start > stop
                                            {-2, 2, -1, 1},                 // no index from the end
                                            {kLeast, kMost, kMost, kLeast}, // nothing overflows
                                            {kMost, kMost, kLeast, kMost},
                                            {1, kMost, 1, kMost}})
        check(rank, axis, bounds);
}

TEST_F(PartNumbers, ofOneSideAndBoth) {
  const char *text = R"(from tilewright import *
P, Q = dims("P Q")
@inline
def corner(x, n):
    return x[n:, :n]
@kernel
def corners(x: Tensor[f32, P, Q], y: Tensor[f32, P, Q], n: i32):
    i = grid(1)
    a, b = corner(x, n), corner(y, n)
    assert a.shape[0] == P - n
    for j in range(3):
        rows = x[j:j + 1, :]
        b[iota(8), j] = a[iota(8), j] + rows[0, 0] + rows[1, 0]
)";
  Array &x = random("f32", 20), &y = harness.zeros("f32", 20);
  runText(text, "corners", {}, {view(x, {4, 5}), view(y, {4, 5}), int64_t(2)});
  Numbers values = x.values(), expected(20);
  for (int row : {2, 3})
    for (int column : {0, 1})
      expected[5 * row + column] = values[5 * row + column] + values[5 * column];
  EXPECT_EQ(y.values(), expected);
}

} // namespace tilewright::frontend
