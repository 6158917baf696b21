#include "simulator/machine/Block.h"

#include "ir/Target.h"
#include "simulator/machine/Cluster.h"

namespace tilewright::simulator::machine {

Block::Block(Cluster &cluster, int64_t id, const Program &program)
    : cluster(cluster), id(id), shared(program) {
  for (int warp = 0; warp < program.threads / kLanes; ++warp)
    warps.emplace_back(*this, warp, cluster.addAgent(*this, warp, ""), program);
  // What the hardware gives each thread when the block starts.
  int64_t share = Target::kRegistersPerSm / (program.threads * program.blocksPerSm);
  int64_t registers = std::min<int64_t>(Target::kRegistersPerThread, share) /
                      Target::kRegisterUnit * Target::kRegisterUnit;
  for (Warp &warp : warps)
    warp.async.registers = registers;
}

uint64_t Barrier::arrive(Warp &warp, unsigned expected) {
  gathering.join(warp.clock);
  gatheringFenced.join(warp.fenced);
  warp.tick();
  arrived |= uint64_t(1) << warp.index;
  everArrived |= arrived;
  uint64_t ticket = generation;
  this->expected = expected;
  if (++count == expected) {
    rounds[generation] = {std::move(gathering), std::move(gatheringFenced), count};
    gathering.clear();
    gatheringFenced.clear();
    arrived = count = 0;
    ++generation;
  }
  return ticket;
}

bool Barrier::pass(Warp &warp, uint64_t ticket) {
  if (ticket == generation)
    return false;
  auto round = rounds.find(ticket);
  warp.clock.join(round->second.known);
  warp.fenced.join(round->second.fenced);
  leave(ticket);
  return true;
}

void Barrier::leave(uint64_t ticket) {
  auto round = rounds.find(ticket);
  if (round != rounds.end() && --round->second.inside == 0)
    rounds.erase(round);
}

std::string Barrier::missing() const {
  return std::to_string(expected - count) + (expected - count == 1 ? " more warp" : " more warps");
}

llvm::SmallVector<Warp *, 8> Barrier::missingWarps(Block &block) const {
  llvm::SmallVector<Warp *, 8> absent, earlier;
  for (Warp &warp : block.warps)
    if (!hasArrived(warp.index)) {
      absent.push_back(&warp);
      if (everArrived >> warp.index & 1)
        earlier.push_back(&warp);
    }
  return absent.size() == expected - count ? absent : earlier;
}

std::string Barrier::clash(const Warp &warp, unsigned expected) const {
  if (count && expected != this->expected)
    return "expects " + std::to_string(expected) + " warps at a barrier where others expect " +
           std::to_string(this->expected);
  if (hasArrived(warp.index))
    return "comes twice to one round of a barrier";
  return "";
}

//===- sm_90 and later ------------------------------------------------------------------------===//

Warpgroup &Block::warpgroup(int index) {
  Warpgroup &group = warpgroups[index];
  if (!group.agent)
    group.agent = cluster.addAgent(*this, 4 * index, "wgmma");
  return group;
}

void Block::leave(const Warp &warp) {
  ended.join(warp.clock);
  ended.raise(warp.agent, warp.time);
}

void Block::finish() {
  for (const auto &[agent, visit] : visits) {
    if (ended.covers(agent, visit.time))
      continue;
    bool remote = visit.remote;
    report(remote ? FindingKind::PeerExit : FindingKind::NeverWaited, *visit.warp,
           *visit.instruction, -1,
           remote ? "reaches shared memory of block " + std::to_string(id) +
                        ", which may have ended by then"
                  : "the kernel ends without waiting for this copy");
  }
  for (const auto &[offset, mbarrier] : mbarriers)
    mbarrier.finish(warps.front());
}

} // namespace tilewright::simulator::machine
