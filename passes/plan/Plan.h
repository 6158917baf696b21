//===- Plan.h - how a kernel is to run, as data -----------------------------------------------===//
//
// A plan is the only place where a schedule is decided. It is a text that a person, or a planner,
// writes; passes carry it out and choose nothing (docs/plans.md).
//
//   plan 1 of matmul_nt for sm_90
//     tiles     BM 128, BN 256, BK 64
//     blocks    1 per SM, grouped 16
//     roles     load: 1 warp, 40 registers, s1, s2; multiply: 8 warps, 232 registers
//     products  p1: wgmma 64x256x16, warps 8x1
//     channels  s1: tma, 4 slots; s2: tma, 4 slots; e1: store, 2 slots of 64 columns
//
// Streams (s1: a load that a producer can make), computed tiles (t1: what a product multiplies and
// no stream brings), products (p1), loops (l1) and ends (e1: a tile that is stored, or added to a
// view) are numbered by the facts of the kernel (KernelFacts.h), not by names of its source.
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
  /// Of the text; one that is newer, or older, is refused.
  static constexpr int64_t kVersion = 1;
  /// The loop over tiles, among `loops`.
  static constexpr llvm::StringLiteral kTiles = "tiles";

  struct Tile {
    std::string parameter; ///< Of the kernel, marked `tune`.
    int64_t extent = 0;
    bool operator==(const Tile &) const = default;
  };
  /// Tiles that are cut along an axis of what the ends store.
  struct Parts {
    static constexpr llvm::StringLiteral kAxes[] = {"rows", "columns"};
    std::string axis; ///< One of them.
    int64_t count = 0;
    bool operator==(const Parts &) const = default;
  };
  struct Blocks {
    int64_t perSm = 0;         ///< That stay and take tile after tile; 0: one for each tile.
    int64_t cluster = 0;       ///< Blocks of a cluster, neighbours along the first axis; 0: none.
    int64_t turns = 0;         ///< Tiles of a block under way, with roles of their own; 0: one.
    std::string splitLoop;     ///< Whose iterations blocks share in tiles left over; empty: none.
    int64_t least = 0;         ///< Iterations of a share.
    std::vector<int64_t> axes; ///< Of the grid, the one that varies fastest first; empty: as it is.
    int64_t grouped = 0;       ///< Tiles of that axis that go together; 0: all.
    bool folded = false;       ///< Every other group goes through the second axis backwards.
    bool descending = false;   ///< All groups do.
    bool queue = false;        ///< Blocks take the next tile that nobody has taken.
    bool operator==(const Blocks &) const = default;
  };
  struct Role {
    std::string name;
    int64_t warps = 0;
    std::optional<int64_t> registers; ///< Of a thread.
    std::vector<std::string> streams; ///< That it loads.
    std::vector<std::string> tiles;   ///< That it computes, for the role that does the rest.

    /// Whether it does what no other role does.
    bool doesRest() const { return streams.empty() && tiles.empty(); }
    bool operator==(const Role &) const = default;
  };
  struct Product {
    std::string id, unit; ///< "p1", "wgmma"
    std::vector<int64_t> shape, warps;
    int64_t behind = 0;   ///< Iterations by which it is late, beside what its loop does then.
    bool swapped = false; ///< Its transpose is computed: shape and warps are those of that.
    bool operator==(const Product &) const = default;
  };
  struct Channel {
    std::string id, kind; ///< "s1", "tma"; "t1", "put"
    int64_t slots = 0;
    int64_t columns = 0;    ///< Of a slot that a tile is stored through, with all rows.
    bool multicast = false; ///< To all blocks of a cluster at once.
    std::string with;       ///< The stream with whose slots its own change hands, or the end
                            ///< through whose slots it goes.
    int64_t rows = 0;       ///< Of a slot that a tile is stored through, with all columns.
    bool operator==(const Channel &) const = default;
  };

  /// What is done with a loop.
  struct Loop {
    /// A product is started, its result awaited or added to sums that the loop carries, or a turn
    /// taken or passed on. All else stands as early as it can.
    struct Step {
      enum Kind { Start, Await, Enter, Leave, Add } kind = Start;
      std::string product; ///< None, if it is a turn.
      bool operator==(const Step &) const = default;
    };
    std::string id;                 ///< "l1", or "tiles"
    bool fromLast = false;          ///< From the last iteration to the first.
    std::optional<double> latePeak; ///< Powers of two by which a carried maximum may lag.
    bool lateSums = false;    ///< Sums along rows are carried in parts, and made one behind it.
    bool splitMasks = false;  ///< Iterations that masks concern are a loop of their own.
    bool byWarpgroup = false; ///< Each takes as many iterations as its own rows need.
    std::vector<Step> order;  ///< Empty: as the kernel has it.
    bool operator==(const Loop &) const = default;

    /// Whether a product is added in front of its await: in the iteration behind its own.
    bool addsLate(llvm::StringRef product) const;
  };

  std::string kernel, target;
  std::optional<std::string> facts;  ///< KernelFacts::hash() of what it is for; none: not held to.
  std::vector<std::string> positive; ///< Scalar arguments; others have no use for the plan.
  std::vector<Tile> tiles;
  std::vector<Parts> programs; ///< That a block takes as one.
  std::vector<Parts> parts;    ///< Of tiles.
  Blocks blocks;
  std::vector<Role> roles;
  std::vector<Product> products;
  std::vector<Loop> loops;
  std::vector<Channel> channels;

  bool operator==(const Plan &) const = default;

  /// Reads a text; an error names line and column, what stands there and what may.
  static ErrorOr<Plan> parse(llvm::StringRef text, llvm::StringRef file = "plan");
  /// The text, which reads back as this plan.
  std::string str() const;
  /// Its fields, by their names (docs/plans.md#as-json).
  llvm::json::Object json() const;

  /// Reads a single entry, which replaces the one of its key or is added: "channels.s1: tma, 5
  /// slots", "blocks: 1 per SM". An error names the entry and the column.
  Status set(llvm::StringRef entry);

  const Channel *channelOf(llvm::StringRef id) const;
  const Product *productOf(llvm::StringRef id) const;
  const Loop *loopOf(llvm::StringRef id) const;
  /// The role that loads a stream; null if none does.
  const Role *loaderOf(llvm::StringRef stream) const;
  /// The role that computes a tile for the one that does the rest; null if that does it.
  const Role *makerOf(llvm::StringRef tile) const;
};

} // namespace tilewright::passes

#endif
