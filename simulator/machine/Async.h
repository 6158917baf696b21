//===- Async.h - what a warp and its block have under way on sm_90 ----------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_ASYNC_H
#define TILEWRIGHT_SIMULATOR_MACHINE_ASYNC_H

#include "simulator/machine/Program.h"
#include "simulator/machine/Shadow.h"

#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <map>
#include <memory>

namespace tilewright::simulator::machine {

//===- Of a warp ------------------------------------------------------------------------------===//

/// Operations of one kind and the groups that the warp has closed.
struct Groups {
  uint32_t issued = 0;
  llvm::SmallVector<uint32_t, 8> closed; // the last operation of each group
  const Instruction *last = nullptr;

  void close() { closed.push_back(issued); }
  /// The last operation that must be done when at most `pending` groups may be unfinished.
  uint32_t doneWith(int64_t pending) const {
    return int64_t(closed.size()) > pending ? closed[closed.size() - 1 - pending] : 0;
  }
};

/// Slots that a product in flight reads or, if `written`, accumulates into.
struct RegistersInFlight {
  uint32_t first, count;
  bool written;
  uint32_t operation; // in the order of the warpgroup
  const Instruction *instruction;
};

/// An asynchronous engine of a warp: a component of the clocks, and its last operation.
struct Engine {
  AgentId agent = 0; // 0: not in use yet
  uint32_t time = 0;
};

struct WarpAsync {
  Groups stores;                    // TMA's, from shared memory
  AgentId reads = 0, writes = 0;    // their engines: shared memory, then global
  uint32_t storesRead = 0;          // the last store whose read has been waited for
  std::map<uint32_t, Engine> loads; // TMA's, an engine per mbarrier
  Groups products;
  llvm::SmallVector<RegistersInFlight, 8> inFlight;
  uint64_t clusterTicket = 0; // 0: has not arrived at the cluster's barrier
  int64_t registers = 0;      // per thread
};

//===- Of a block -----------------------------------------------------------------------------===//

/// One warp's part of a product: where its registers are.
struct ProductPart {
  Warp *warp = nullptr;
  uint32_t d = kNoSlot, a = kNoSlot;
};

/// A product of a warpgroup. It starts when all four warps have come to it.
struct Product {
  const Instruction *instruction = nullptr;
  uint64_t a = 0, b = 0; // descriptors
  bool accumulate = true;
  llvm::SmallVector<ProductPart, 4> parts;
  Clock known, fenced; // what all four warps know
};

struct Warpgroup {
  AgentId agent = 0;
  uint32_t started = 0;                      // products
  std::deque<std::shared_ptr<Product>> open; // those that some warps have come to
};

/// The last thing that an agent did to the block's shared memory from outside its warps' order: a
/// copy that landed, a remote arrival. One of the block's warps must know of it when it ends.
struct Visit {
  uint32_t time;
  bool remote;
  const Instruction *instruction;
  Warp *warp;
};

} // namespace tilewright::simulator::machine

#endif
