//===- Plan.h - a schedule for a kernel, as data ----------------------------------------------===//
//
// A plan is the only place that decides a schedule. It is a text. A person or the planner writes
// it, and passes carry it out without choosing anything (docs/plans.md).
//
//   plan 1 of matmul_nt for sm_90
//     tiles     BM 128, BN 256, BK 64
//     blocks    1 per SM, grouped 16
//     roles     load: 1 warp, 40 registers, s1, s2; multiply: 8 warps, 232 registers
//     products  p1: wgmma 64x256x16, warps 8x1
//     channels  s1: tma, 4 slots; s2: tma, 4 slots; e1: store, 2 slots of 64 columns
//
// Entries refer to streams (s1: loads that a producer can make), computed tiles (t1: other operands
// of products), products (p1), loops (l1) and stores (e1). The numbers come from the facts of the
// kernel (KernelFacts.h), not from names of its source.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_PLAN_H
#define TILEWRIGHT_PASSES_PLAN_PLAN_H

#include "mlir/Support/LLVM.h"
#include "support/ErrorOr.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm::json {
class Object;
} // namespace llvm::json

namespace tilewright::passes {

struct Plan {
  /// Version of the text format. Other versions are refused.
  static constexpr int64_t kVersion = 1;
  /// The id of the loop over tiles, among `loops`.
  static constexpr llvm::StringLiteral kTiles = "tiles";

  struct Tile {
    std::string parameter; ///< A `tune` parameter of the kernel.
    int64_t extent = 0;
    bool operator==(const Tile &) const = default;
  };
  /// Tiles that are cut along an axis of what the kernel stores, or programs that are joined along
  /// it.
  struct Parts {
    static constexpr llvm::StringLiteral kAxes[] = {"rows", "columns"};
    std::string axis; ///< One of kAxes.
    int64_t count = 0;
    bool operator==(const Parts &) const = default;
  };
  struct Blocks {
    int64_t perSm = 0; ///< Persistent blocks per SM; 0: one block per tile.
    /// Blocks of a cluster along the first axis, or the first two; empty: no clusters.
    std::vector<int64_t> cluster;
    int64_t turns =
        0; ///< Ping-pong: tiles of a block in flight, each with roles of its own; 0: one.
    std::string splitLoop; ///< Stream-K: the loop whose iterations blocks divide in the remaining
                           ///< tiles; or empty.
    int64_t least = 0;     ///< Stream-K: the fewest iterations that a block takes of a tile.
    std::vector<int64_t> axes; ///< Order of the grid's axes, fastest first; empty: the default.
    int64_t grouped = 0;       ///< Tiles along the first axis in a group; 0: all.
    bool folded = false;       ///< Every other group runs backwards along the second axis.
    bool descending = false;   ///< All groups run backwards.
    bool queue = false;        ///< Blocks take tiles from a queue.

    /// Blocks of a cluster along a place in `axes`.
    int64_t clusterAlong(size_t place) const { return place < cluster.size() ? cluster[place] : 1; }
    int64_t clusterBlocks() const { return clusterAlong(0) * clusterAlong(1); }
    bool operator==(const Blocks &) const = default;
  };
  struct Role {
    std::string name;
    int64_t warps = 0;
    std::optional<int64_t> registers; ///< Per thread.
    std::vector<std::string> streams; ///< The streams that it loads.
    std::vector<std::string> tiles;   ///< The computed tiles that it writes for the consumer.

    /// Whether it is the consumer, which does everything that no other role does.
    bool doesRest() const { return streams.empty() && tiles.empty(); }
    bool operator==(const Role &) const = default;
  };
  struct Product {
    std::string id, unit; ///< "p1", "wgmma"
    std::vector<int64_t> shape, warps;
    int64_t behind = 0; ///< Iterations by which it is delayed: software pipelining.
    bool swapped =
        false; ///< Its transpose is computed; shape and warps are those of the transpose.
    bool operator==(const Product &) const = default;
  };
  struct Channel {
    std::string id, kind; ///< "s1", "tma"; "t1", "put"
    int64_t slots = 0;
    int64_t columns = 0;    ///< Of a store's slots, with all rows.
    bool multicast = false; ///< To all blocks of a cluster.
    std::string with; ///< The stream with whose slots its own change hands, or the store whose
                      ///< slots it uses.
    int64_t rows = 0; ///< Of a store's slots, with all columns.
    bool operator==(const Channel &) const = default;
  };

  /// The entry of a loop.
  struct Loop {
    /// Starts a product, awaits its result, adds it to carried sums, or enters or leaves a critical
    /// section. All other ops come as early as they can.
    struct Step {
      enum Kind { Start, Await, Enter, Leave, Add } kind = Start;
      std::string product; ///< Empty for Enter and Leave.
      bool operator==(const Step &) const = default;
    };
    std::string id;                 ///< "l1", or "tiles"
    bool fromLast = false;          ///< Runs from the last iteration to the first.
    std::optional<double> latePeak; ///< Powers of two by which a carried maximum may lag.
    bool lateSums =
        false; ///< Sums along rows are carried as partial sums and reduced behind the loop.
    bool splitMasks = false;  ///< Masked iterations become a loop of their own.
    bool byWarpgroup = false; ///< Each warpgroup runs as many iterations as its own rows need.
    std::vector<Step> order;  ///< Empty: as in the kernel.
    bool operator==(const Loop &) const = default;

    /// Whether a product is added before its await, that is in the next iteration.
    bool addsLate(llvm::StringRef product) const;
  };

  std::string kernel, target;
  std::optional<std::string> facts;  ///< KernelFacts::hash() of its kernels; none: not checked.
  std::vector<std::string> positive; ///< Scalar arguments that must be positive.
  std::vector<Tile> tiles;
  std::vector<Parts> programs; ///< Programs that a block takes as one.
  int64_t depth = 0;           ///< Of the tiles that products add up along; 0: the kernel's.
  std::vector<Parts> parts;    ///< Parts that tiles are cut into.
  Blocks blocks;
  std::vector<Role> roles;
  std::vector<Product> products;
  std::vector<Loop> loops;
  std::vector<Channel> channels;

  bool operator==(const Plan &) const = default;

  /// Reads a text. An error names the line and column, what stands there and what is expected.
  static ErrorOr<Plan> parse(llvm::StringRef text, llvm::StringRef file = "plan");
  /// The text; parsing it gives this plan again.
  std::string str() const;
  /// The plan as JSON (docs/plans.md#as-json).
  llvm::json::Object json() const;

  /// Reads a single entry, which replaces the one with its key or is added: "channels.s1: tma, 5
  /// slots", "blocks: 1 per SM". An error names the entry and the column.
  Status set(llvm::StringRef entry);

  const Channel *channelOf(llvm::StringRef id) const;
  const Product *productOf(llvm::StringRef id) const;
  const Loop *loopOf(llvm::StringRef id) const;
  /// The role that loads a stream; null if none does.
  const Role *loaderOf(llvm::StringRef stream) const;
  /// The role that computes a tile for the consumer; null if the consumer does.
  const Role *makerOf(llvm::StringRef tile) const;
};

} // namespace tilewright::passes

#endif
