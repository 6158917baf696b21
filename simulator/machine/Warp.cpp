#include "simulator/machine/Warp.h"

#include "ir/cuda/Cuda.h"
#include "simulator/machine/Cluster.h"

#include <cstring>

namespace tilewright::simulator::machine {

Warp::Warp(Block &block, int index, AgentId agent, const Program &program)
    : block(block), index(index), agent(agent), registers(program.slots),
      undefinedLanes(program.slots, kAllLanes) {
  for (const Program::Constant &constant : program.constants) {
    undefinedLanes[constant.slot] = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (constant.wide)
        lanes<int64_t>(constant.slot)[lane] = constant.bits;
      else
        lanes<int32_t>(constant.slot)[lane] = int32_t(constant.bits);
    }
  }
  clock.raise(agent, time);
}

Cluster &Warp::cluster() { return block.cluster; }

uint32_t Warp::trueLanes(uint32_t slot) {
  const int32_t *values = lanes<int32_t>(slot);
  uint32_t mask = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    mask |= uint32_t(values[lane] != 0) << lane;
  return mask;
}

uint32_t Warp::predicated(const Instruction &instruction, uint32_t predicate) {
  if (predicate == kNoSlot)
    return active;
  requireDefined(instruction, predicate, active, "a predicate");
  return active & trueLanes(predicate);
}

void Warp::requireDefined(const Instruction &instruction, uint32_t slot, uint32_t mask,
                          llvm::StringRef what) {
  if (uint32_t lanes = undefined(slot) & mask)
    report(FindingKind::Uninitialised, *this, instruction, std::countr_zero(lanes),
           (what + " depends on a value that was never written").str());
}

bool Warp::requireConverged(const Instruction &instruction) {
  if (active == kAllLanes)
    return true;
  report(FindingKind::Divergence, *this, instruction, std::countr_zero(~active),
         "all lanes of the warp must take part, but lanes 0x" +
             llvm::utohexstr(~active, /*LowerCase=*/true) + " are not here");
  return false;
}

std::optional<uint32_t> Warp::registerSlot(const Instruction &instruction,
                                           const RegisterRange &range, int64_t count) {
  const int32_t *values = lanes<int32_t>(range.index);
  int first = std::countr_zero(active);
  int64_t index = values[first];
  forLanes(active, [&](int lane) {
    if (values[lane] != index)
      report(FindingKind::Divergence, *this, instruction, lane,
             "lanes address registers " + std::to_string(index) + " and " +
                 std::to_string(values[lane]) + " of an array, which no instruction can do");
  });
  requireDefined(instruction, range.index, active, "a register's index");
  if (index < 0 || index + count > range.size) {
    report(FindingKind::OutOfBounds, *this, instruction, first,
           "register " + std::to_string(index) +
               (count > 1 ? " to " + std::to_string(index + count - 1) : std::string()) +
               " of an array of " + std::to_string(range.size));
    return std::nullopt;
  }
  uint32_t slot = range.first + uint32_t(index) * range.stride;
  if (!async.inFlight.empty())
    checkInFlight(instruction, slot, uint32_t(count) * range.stride);
  return slot;
}

/// Whether an op that takes a register array only reads it.
static bool onlyReads(mlir::Operation *op) {
  return llvm::isa<cuda::GetOp, cuda::StoreSharedOp, cuda::StoreGlobalOp, cuda::StmatrixOp>(op);
}

void Warp::checkInFlight(const Instruction &instruction, uint32_t first, uint32_t count) {
  auto product = llvm::dyn_cast<cuda::WgmmaOp>(instruction.op);
  for (const RegistersInFlight &used : async.inFlight) {
    bool apart = first + count <= used.first || used.first + used.count <= first;
    // Products follow one another; one may sum into, or read as its a, what another reads.
    bool sums = product && used.written && first == used.first;
    bool reads = !used.written && (product || onlyReads(instruction.op));
    if (apart || sums || reads)
      continue;
    Finding result = finding(FindingKind::InFlight, *this, instruction, -1,
                             std::string("touches registers that a product under way ") +
                                 (used.written ? "sums into" : "reads") + ", in block " +
                                 std::to_string(block.id) + ", warp " + std::to_string(index));
    result.others.push_back({used.instruction->op, block.id, index, cluster().agents[agent].name(),
                             "starts the product here"});
    cluster().session.reports.add(std::move(result));
    return;
  }
}

void Warp::copy(uint32_t to, uint32_t from, bool wide, uint32_t mask) {
  size_t bytes = wide ? 8 : 4;
  if (mask == kAllLanes) {
    std::memmove(lanes<char>(to), lanes<char>(from), bytes * kLanes);
    undefined(to) = undefined(from);
    return;
  }
  forLanes(mask, [&](int lane) {
    std::memcpy(lanes<char>(to) + lane * bytes, lanes<char>(from) + lane * bytes, bytes);
  });
  undefined(to) = (undefined(to) & ~mask) | (undefined(from) & mask);
}

Accessor Warp::accessor(const Instruction &instruction, bool atomic) {
  Accessor result;
  result.access = {time,
                   agent,
                   Proxy::Generic,
                   atomic,
                   instruction.index,
                   uint32_t(cluster().session.steps),
                   /*source=*/0,
                   uint32_t(cluster().id)};
  result.clock = &clock;
  result.fenced = &fenced;
  result.told = &cluster().told;
  return result;
}

} // namespace tilewright::simulator::machine
