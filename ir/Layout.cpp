#include "ir/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <numeric>

using namespace tilewright;
using llvm::ArrayRef;

/// Canonical form: no digit of size 1, and no two neighbours where the second continues the first.
static Digits canonical(const Digits &digits, bool keepReplicas) {
  Digits result;
  for (const Digit &digit : digits) {
    if (digit.size == 1 || (digit.dim == kReplicated && !keepReplicas))
      continue;
    if (!result.empty() && result.back().dim == digit.dim &&
        (digit.dim == kReplicated || result.back().stride * result.back().size == digit.stride)) {
      result.back().size *= digit.size;
      continue;
    }
    result.push_back(digit);
    if (digit.dim == kReplicated)
      result.back().stride = 0;
  }
  return result;
}

Layout::Layout(Digits registers, Digits lanes, Digits warps)
    : levels{canonical(registers, false), canonical(lanes, true), canonical(warps, true)} {}

int64_t Layout::count(Level level) const {
  int64_t product = 1;
  for (const Digit &digit : digits(level))
    product *= digit.size;
  return product;
}

Coordinates Layout::coordinates(int64_t rank, int64_t reg, int64_t lane, int64_t warp) const {
  Coordinates result(rank, 0);
  auto add = [&](Level level, int64_t number) {
    for (const Digit &digit : digits(level)) {
      if (digit.dim != kReplicated)
        result[digit.dim] += number % digit.size * digit.stride;
      number /= digit.size;
    }
  };
  add(Level::Register, reg);
  add(Level::Lane, lane);
  add(Level::Warp, warp);
  return result;
}

int64_t Layout::extent(int64_t dim) const {
  int64_t last = 0;
  for (const Digits &level : levels)
    for (const Digit &digit : level)
      if (digit.dim == dim)
        last += (digit.size - 1) * digit.stride;
  return last + 1;
}

bool Layout::covers(ArrayRef<int64_t> shape) const {
  // Along each dimension the digits, ordered by stride, must count without gaps or overlap.
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    Digits along;
    for (const Digits &level : levels)
      for (const Digit &digit : level)
        if (digit.dim == int64_t(dim))
          along.push_back(digit);
    std::sort(along.begin(), along.end(),
              [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
    int64_t next = 1;
    for (const Digit &digit : along) {
      if (digit.stride != next)
        return false;
      next *= digit.size;
    }
    if (next != shape[dim])
      return false;
  }
  return true;
}

int64_t Layout::vector(int64_t dim) const {
  const Digits &registers = digits(Level::Register);
  if (registers.empty() || registers[0].dim != dim || registers[0].stride != 1)
    return 1;
  return registers[0].size;
}

template <typename Map> Layout Layout::mapDims(Map map) const {
  std::array<Digits, 3> mapped = levels;
  for (Digits &level : mapped)
    for (Digit &digit : level)
      if (digit.dim != kReplicated)
        digit.dim = map(digit.dim);
  return Layout(mapped[0], mapped[1], mapped[2]);
}

Layout Layout::collapseDim(int64_t dim) const {
  return mapDims([&](int64_t d) { return d == dim ? kReplicated : d; });
}

Layout Layout::dropDim(int64_t dim) const {
  return mapDims([&](int64_t d) { return d == dim ? kReplicated : d - (d > dim); });
}

Layout Layout::threadsAlong(int64_t dim) const {
  std::array<Digits, 3> parts = levels;
  int64_t next = 1;
  for (Digit &digit : parts[size_t(Level::Register)])
    if (digit.dim == dim)
      digit = {digit.size, kReplicated, 0};
  for (Level level : {Level::Lane, Level::Warp})
    for (Digit &digit : parts[size_t(level)])
      if (digit.dim == dim) {
        digit.stride = next;
        next *= digit.size;
      }
  return Layout(parts[0], parts[1], parts[2]);
}

Layout Layout::insertDim(int64_t dim) const {
  return mapDims([&](int64_t d) { return d + (d >= dim); });
}

std::optional<Layout> Layout::sliceDim(int64_t dim, int64_t size) const {
  std::array<Digits, 3> part = levels;
  for (Level level : {Level::Register, Level::Lane, Level::Warp})
    for (Digit &digit : part[size_t(level)]) {
      if (digit.dim != dim || digit.stride * digit.size <= size)
        continue;
      if (level != Level::Register || (digit.stride < size && size % digit.stride != 0))
        return std::nullopt;
      digit.size = std::max<int64_t>(1, size / digit.stride);
    }
  return Layout(part[0], part[1], part[2]);
}

Layout Layout::permute(ArrayRef<int64_t> permutation) const {
  return mapDims([&](int64_t d) {
    return int64_t(std::find(permutation.begin(), permutation.end(), d) - permutation.begin());
  });
}

std::optional<Layout> Layout::joinPairs(int64_t dim) const {
  std::array<Digits, 3> joined = levels;
  bool areHeld = false;
  for (Digits &level : joined)
    for (Digit &digit : level) {
      if (digit.dim != dim)
        continue;
      bool hasPairs = digit.stride == 1 && digit.size % 2 == 0 && &level == &joined[0];
      if (digit.stride % 2 != 0 && !hasPairs)
        return std::nullopt;
      areHeld |= hasPairs;
      digit = hasPairs ? Digit{digit.size / 2, dim, 1} : Digit{digit.size, dim, digit.stride / 2};
    }
  if (!areHeld)
    return std::nullopt;
  return Layout(joined[0], joined[1], joined[2]);
}

Layout Layout::splitPairs(int64_t dim) const {
  std::array<Digits, 3> split = levels;
  for (Digits &level : split)
    for (Digit &digit : level)
      if (digit.dim == dim)
        digit.stride *= 2;
  return Layout(split[0], split[1], split[2]);
}

Layout Layout::inOrderOfSums(int64_t dim) const {
  constexpr int64_t kBlock = 16;
  std::array<Digits, 3> ordered;
  for (auto [from, to] : llvm::zip(levels, ordered))
    for (Digit digit : from) {
      while (digit.dim == dim && digit.stride < kBlock && digit.size > 1) {
        assert(digit.size % 2 == 0 && "digits of a block are powers of two");
        int64_t stride = digit.stride == 1 ? 1 : digit.stride == kBlock / 2 ? 2 : digit.stride * 2;
        to.push_back({2, dim, stride});
        digit = {digit.size / 2, dim, digit.stride * 2};
      }
      to.push_back(digit);
    }
  return Layout(ordered[0], ordered[1], ordered[2]);
}

//===- Matrices -------------------------------------------------------------------------------===//

/// Takes the lowest digits that together count `size`, splitting the last one. If the digits cannot
/// be divided so, takes nothing and returns false.
static bool takeLowest(Digits &digits, int64_t size, Digits &taken) {
  Digits low, high;
  for (const Digit &digit : digits) {
    int64_t part = size % digit.size == 0 ? digit.size : digit.size % size == 0 ? size : 0;
    if (part == 0)
      return false;
    low.push_back({part, digit.dim, digit.stride});
    high.push_back({digit.size / part, digit.dim, digit.stride * part});
    size /= part;
  }
  if (size != 1)
    return false;
  digits = canonical(high, true);
  taken = canonical(low, true);
  return true;
}

static Digits concat(std::initializer_list<Digits> parts) {
  Digits all;
  for (const Digits &part : parts)
    all.append(part);
  return all;
}

std::optional<Matrices> Layout::matrices(int64_t dim) const {
  Digits rest = digits(Level::Register), lanes = digits(Level::Lane), pair, low, high;
  if (!takeLowest(rest, 2, pair) || !takeLowest(lanes, 4, low) || !takeLowest(lanes, 8, high))
    return std::nullopt;
  // Every digit, except those within a matrix row, moves whole rows of 8 elements.
  auto movesRows = [&](const Digits &moving) {
    return llvm::all_of(moving, [&](const Digit &digit) {
      return digit.dim != kReplicated && (digit.dim != dim || digit.stride % 8 == 0);
    });
  };
  const Digits &warpDigits = digits(Level::Warp);
  if (!movesRows(rest) || !movesRows(warpDigits))
    return std::nullopt;
  bool inRows = pair == Digits{{2, dim, 1}} && low == Digits{{4, dim, 2}} && movesRows(high);
  bool inColumns = high == Digits{{8, dim, 1}} && movesRows(pair) && movesRows(low);
  if (!inRows && !inColumns)
    return std::nullopt;

  int64_t count = 4;
  Digits matrix;
  while (count > 1 && !takeLowest(rest, count, matrix))
    count /= 2;
  Digits replicas{{4 / count, kReplicated, 0}};
  Digits rowLanes =
      inRows ? concat({high, matrix, replicas}) : concat({pair, low, matrix, replicas});
  return Matrices{Layout(rest, rowLanes, warpDigits), count, inColumns};
}

//===- Constructors --------------------------------------------------------------------------===//

/// The largest power of two that divides `value`, at most `limit`.
static int64_t powerOfTwoFactor(int64_t value, int64_t limit) {
  int64_t factor = 1;
  while (factor * 2 <= limit && value % (factor * 2) == 0)
    factor *= 2;
  return factor;
}

/// Vectors of `vector` elements along `along`, spread over lanes in the order of `order`, over
/// warps in the reverse order, then over registers. Along `along` at most `lanesAlong` lanes follow
/// each other; more are there if the other dimensions leave some.
static Layout spread(ArrayRef<int64_t> shape, int64_t along, int64_t vector,
                     const Coordinates &order, int64_t warps, int64_t lanesAlong = kLanes) {
  Digits registers, lanes, warpDigits;
  Coordinates done(shape.size(), 1); // elements covered so far along each dimension
  // The sizes of the digits of a level divide its total: of 6 warps, 2 split 64 rows.
  auto take = [&](Digits &level, int64_t dim, int64_t count) {
    int64_t size = std::gcd(shape[dim] / done[dim], count);
    level.push_back({size, dim, done[dim]});
    done[dim] *= size;
    return size;
  };
  if (!shape.empty())
    take(registers, along, vector);
  int64_t lanesLeft = kLanes, warpsLeft = warps;
  for (int64_t dim : order)
    lanesLeft /= take(lanes, dim, dim == along ? std::min(lanesLeft, lanesAlong) : lanesLeft);
  if (!shape.empty())
    lanesLeft /= take(lanes, along, lanesLeft);
  lanes.push_back({lanesLeft, kReplicated, 0});
  // Warps split rows first, so that a reduction along a row stays in one warp.
  for (int64_t dim : llvm::reverse(order))
    warpsLeft /= take(warpDigits, dim, warpsLeft);
  warpDigits.push_back({warpsLeft, kReplicated, 0});
  for (int64_t dim : order)
    registers.push_back({shape[dim] / done[dim], dim, done[dim]});
  return Layout(registers, lanes, warpDigits);
}

Layout Layout::blocked(ArrayRef<int64_t> shape, int64_t contiguous, int64_t vector, int64_t warps,
                       int64_t lanesAlong) {
  // Dimensions from the contiguous one outward.
  Coordinates order;
  if (!shape.empty())
    order.push_back(contiguous);
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim)
    if (dim != contiguous)
      order.push_back(dim);
  return spread(shape, contiguous, vector, order, warps, lanesAlong);
}

Layout Layout::turned(ArrayRef<int64_t> shape, int64_t vector, int64_t warps) {
  return spread(shape, /*along=*/0, vector, /*order=*/{1, 0}, warps);
}

/// Warps over an m×n tile, the remaining ones replicas.
static Digits splitWarps(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN, int64_t warps) {
  return {{warpsM, 0, m / warpsM},
          {warpsN, n ? 1 : kReplicated, n / warpsN},
          {warps / (warpsM * warpsN), kReplicated, 0}};
}

Layout Layout::mmaAccumulator(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN, int64_t warps,
                              int64_t rows) {
  assert((rows == 8 || rows == 16) && "fragments have one or two blocks of 8 rows");
  assert(m % (rows * warpsM) == 0 && n % (8 * warpsN) == 0 && "fragments are rows×8");
  Digits registers{
      {2, 1, 1}, {rows / 8, 0, 8}, {n / warpsN / 8, 1, 8}, {m / warpsM / rows, 0, rows}};
  Digits lanes{{4, 1, 2}, {8, 0, 1}};
  return Layout(registers, lanes, splitWarps(m, n, warpsM, warpsN, warps));
}

Layout Layout::mmaOperandA(int64_t m, int64_t k, int64_t stepK, int64_t warpsM, int64_t warpsN,
                           int64_t warps) {
  assert(m % (16 * warpsM) == 0 && k % stepK == 0 && "fragments are 16×stepK");
  Digits registers{{2, 1, 1}, {2, 0, 8}, {k / 8, 1, 8}, {m / warpsM / 16, 0, 16}};
  Digits lanes{{4, 1, 2}, {8, 0, 1}};
  return Layout(registers, lanes, splitWarps(m, 0, warpsM, warpsN, warps));
}

Layout Layout::wgmmaAccumulator(int64_t m, int64_t n, int64_t groupsM, int64_t groupsN) {
  assert(m % (64 * groupsM) == 0 && n % (8 * groupsN) == 0 && "fragments are 64×8");
  Digits registers{{2, 1, 1}, {2, 0, 8}, {n / groupsN / 8, 1, 8}, {m / groupsM / 64, 0, 64}};
  Digits lanes{{4, 1, 2}, {8, 0, 1}};
  Digits warps{{4, 0, 16}, {groupsM, 0, m / groupsM}, {groupsN, 1, n / groupsN}};
  return Layout(registers, lanes, warps);
}

Layout Layout::wgmmaOperandA(int64_t m, int64_t k, int64_t groupsM, int64_t groupsN) {
  Layout all = wgmmaAccumulator(m, k, groupsM, 1);
  Digits warps = all.digits(Level::Warp);
  warps.push_back({groupsN, kReplicated, 0}); // neighbours multiply the same rows
  return Layout(all.digits(Level::Register), all.digits(Level::Lane), warps);
}

std::optional<Layout> Layout::turned(int64_t rows, int64_t columns, bool inOrderOfSums,
                                     int64_t warps) {
  constexpr int64_t kBlock = 16;
  int64_t warpsN = std::gcd(columns / kBlock, warps), warpsM = warps / warpsN;
  if (rows % (kBlock * warpsM) != 0 || columns % kBlock != 0)
    return std::nullopt;
  int64_t pair = inOrderOfSums ? 8 : 2, lane = inOrderOfSums ? 2 : 4;
  Digits registers{{2, 0, 1},
                   {2, 0, pair},
                   {2, 1, 1},
                   {rows / warpsM / kBlock, 0, kBlock},
                   {columns / warpsN / kBlock, 1, kBlock * warpsN}};
  Digits lanes{{4, 0, lane}, {8, 1, 2}};
  return Layout(registers, lanes, {{warpsN, 1, kBlock}, {warpsM, 0, rows / warpsM}});
}

Layout Layout::threadTile(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN, int64_t warps) {
  int64_t warpM = m / warpsM, warpN = n / warpsN;
  int64_t lanesM = powerOfTwoFactor(warpM, 8), lanesN = powerOfTwoFactor(warpN, kLanes / lanesM);
  int64_t perN = warpN / lanesN, perM = warpM / lanesM;
  int64_t vector = powerOfTwoFactor(perN, 4);
  Digits registers{{vector, 1, 1}, {perN / vector, 1, vector * lanesN}, {perM, 0, lanesM}};
  Digits lanes{{lanesN, 1, vector}, {lanesM, 0, 1}, {kLanes / (lanesM * lanesN), kReplicated, 0}};
  return Layout(registers, lanes, splitWarps(m, n, warpsM, warpsN, warps));
}
