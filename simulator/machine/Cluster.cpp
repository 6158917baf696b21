#include "simulator/machine/Cluster.h"

#include "ir/cuda/Cuda.h"

#include "llvm/ADT/ScopeExit.h"

namespace tilewright::simulator::machine {

Session::Session(const Program &program, int64_t grid, const MachineOptions &options,
                 Scheduler &scheduler)
    : program(program), grid(grid), options(options), scheduler(scheduler),
      global(program, options.detectRaces), reports(options), counting(program) {}

std::string Agent::name() const {
  std::string warpName = "warp " + std::to_string(warp);
  return engine.empty() ? warpName : "a " + engine + " of " + warpName;
}

std::string Agent::track() const {
  std::string track = "block " + std::to_string(block->id) + " warp " + std::to_string(warp);
  return engine.empty() ? track : track + " " + engine;
}

Cluster::Cluster(Session &session, int64_t id)
    : session(session), id(id), limit(session.steps + session.options.maxSteps),
      stepsAtEnd(session.steps) {
  for (int64_t i = 0; i < session.program.clusterSize; ++i)
    blocks.emplace_back(*this, id * session.program.clusterSize + i, session.program);
  for (Block &block : blocks)
    for (Warp &warp : block.warps)
      live.push_back(&warp);
}

AgentId Cluster::addAgent(Block &block, int warp, llvm::StringRef engine) {
  agents.push_back({&block, warp, engine.str()});
  return AgentId(agents.size() - 1);
}

std::pair<Block *, uint32_t> Cluster::resolve(Block &own, uint32_t address) {
  uint32_t local = own.shared.ownAddress(address);
  uint32_t number = (address - local) >> SharedMemory::kBlockShift;
  if (!number) // an address of the own block is one of the cluster too
    return {&own, local};
  return {number <= blocks.size() ? &blocks[number - 1] : nullptr, local};
}

uint64_t Cluster::arrive(Warp &warp) {
  return barrier.arrive(warp, unsigned(blocks.size() * warp.block.warps.size()));
}

//===- Asynchronous operations ----------------------------------------------------------------===//

void Cluster::issue(Warp &warp, const Instruction &instruction, AgentId agent, uint32_t time,
                    uint64_t work, std::function<void()> move) {
  if (session.scheduler.isTimed()) { // a unit of the block, and an engine, do one after the other
    uint64_t &busyUntil = warp.block.busyUntil[instruction.pipe];
    busyUntil = std::max(busyUntil, warp.clock.moment) + work;
    auto &done = agents[agent].done;
    done.push_back({time, done.empty() ? busyUntil : std::max(busyUntil, done.back().second)});
  }
  underWay.push_back({agent, time, session.steps, &instruction, std::move(move)});
  if (session.scheduler.movesAtOnce())
    complete(underWay.size() - 1);
}

void Cluster::complete(size_t index) {
  UnderWay operation = std::move(underWay[index]);
  underWay.erase(underWay.begin() + index);
  operation.move();
  if (session.options.trace)
    session.options.trace->slice(
        agents[operation.agent].track(), operation.instruction->op->getName().getStringRef(),
        operation.issued, session.steps + 1, operation.instruction->op->getLoc());
}

void Cluster::completeUpTo(AgentId agent, uint32_t time) {
  for (size_t i = 0; i < underWay.size();) {
    if (underWay[i].agent == agent && underWay[i].time <= time)
      complete(i);
    else
      ++i;
  }
}

void Cluster::learn(Clock &clock, AgentId agent, uint32_t time) {
  clock.raise(agent, time);
  const auto &done = agents[agent].done;
  auto behind = llvm::partition_point(done, [&](auto &entry) { return entry.first <= time; });
  if (behind != done.begin())
    clock.moment = std::max(clock.moment, std::prev(behind)->second);
}

bool Cluster::completeOne() {
  if (underWay.empty())
    return false;
  complete(session.scheduler.choose(underWay.size()));
  return true;
}

//===- Warps ----------------------------------------------------------------------------------===//

/// In a timed run the warp that is least far.
size_t Cluster::chooseWarp(llvm::ArrayRef<Warp *> live) {
  if (!session.scheduler.isTimed())
    return session.scheduler.choose(live.size());
  auto moment = [](Warp *warp) { return warp->clock.moment; };
  auto least = llvm::min_element(
      live, [&](Warp *first, Warp *second) { return moment(first) < moment(second); });
  return size_t(least - live.begin());
}

bool Cluster::shouldSwitch(Warp &warp, const Instruction &instruction) {
  if (session.scheduler.isTimed())
    return warp.maySwitch && (instruction.pipe == Pipe::Sync || instruction.pipe == Pipe::Copy ||
                              instruction.pipe == Pipe::Tensor);
  if (!warp.maySwitch || !instruction.mayYield)
    return false;
  Scheduler &scheduler = session.scheduler;
  if (!underWay.empty() && scheduler.sometimes(4))
    completeOne();
  bool atSync = instruction.pipe == Pipe::Sync;
  if (scheduler.kind() == Schedule::Exhaustive)
    return atSync;
  return scheduler.switchesAtMemory() && scheduler.sometimes(3);
}

bool Cluster::runWarp(Warp &warp) {
  const Program &program = session.program;
  uint64_t begin = session.steps;
  Step step = Step::Next;
  while (step == Step::Next) {
    const Instruction &instruction = program.code[warp.pc];
    if (session.scheduler.switchesAtSync() && shouldSwitch(warp, instruction)) {
      warp.maySwitch = false;
      return true;
    }
    warp.maySwitch = true;
    ++warp.pc;
    ++session.steps;
    uint32_t lanes = warp.active;
    step = instruction.run(warp, instruction);
    if (step == Step::Wait)
      break;
    warp.clock.moment += instruction.pipe != Pipe::None;
    ++session.counting.at(instruction).instructions;
    session.laneInstructions += std::popcount(lanes);
    if (session.steps >= limit || session.reports.isFull() || paused)
      break;
  }
  if (step == Step::Wait) {
    --warp.pc;
    --session.steps;
    warp.maySwitch = false;
  }
  if (step == Step::Exit)
    warp.exited = true;
  if (session.options.trace && session.steps > begin)
    session.options.trace->slice(agents[warp.agent].track(),
                                 step == Step::Wait ? "run" : "run to the end", begin,
                                 session.steps, program.code[warp.pc - 1].op->getLoc());
  return session.steps > begin;
}

bool Cluster::isOver() const { return session.reports.isFull() || session.steps >= limit; }

/// Whether a warp waits for what another cluster may do.
bool Cluster::waitsForOthers() const {
  return llvm::any_of(stuck, [&](Warp *warp) {
    return isa<cuda::FlagTakeOp, cuda::FlagAwaitOp>(session.program.code[warp->pc].op);
  });
}

Cluster::Progress Cluster::run() {
  limit += session.steps - stepsAtEnd;
  auto end = llvm::make_scope_exit([&] { stepsAtEnd = session.steps; });
  while (!isOver()) {
    if (live.empty()) {
      live.swap(stuck);
      if (live.empty())
        break;
    }
    size_t next = chooseWarp(live);
    Warp *warp = live[next];
    live.erase(live.begin() + next);
    bool moved = runWarp(*warp);
    if (moved) {
      // Others may wait for its effects.
      live.append(stuck.begin(), stuck.end());
      stuck.clear();
    }
    if (!warp->exited)
      (moved ? live : stuck).push_back(warp);
    if (std::exchange(paused, false))
      return Progress::Paused;
    if (!live.empty() || stuck.empty() || completeOne())
      continue;
    if (waitsForOthers())
      return Progress::Waits;
    reportDeadlock();
    return Progress::Done;
  }
  finish();
  return Progress::Done;
}

void Cluster::finish() {
  while (completeOne()) {
  }
  if (!isOver())
    for (Block &block : blocks)
      block.finish();
  if (session.steps >= limit && !blocks.front().warps.empty()) {
    Warp &warp = blocks.front().warps.front();
    size_t at = std::min<size_t>(warp.pc, session.program.code.size() - 1);
    report(FindingKind::Runaway, warp, session.program.code[at], -1,
           "the kernel has not ended after " + std::to_string(session.options.maxSteps) +
               " warp instructions");
  }
}

//===- Deadlock -------------------------------------------------------------------------------===//

/// The warps of a cycle of the wait-for graph. If there is none, the warps on the way to its end:
/// one that has exited, or whose wait does not say for whom it is.
static llvm::SmallVector<Warp *> findPath(Warp *from, bool &isCycle) {
  llvm::SmallVector<Warp *> path;
  Warp *at = from;
  while (at && !llvm::is_contained(path, at)) {
    path.push_back(at);
    auto next = llvm::find_if(at->waitsForWarps, [](Warp *other) { return !other->exited; });
    at = next == at->waitsForWarps.end() ? nullptr : *next;
  }
  isCycle = at != nullptr;
  if (isCycle)
    path.erase(path.begin(), llvm::find(path, at));
  return path;
}

/// The warps to name: those of a cycle, else one of the waiting warps at each op.
static llvm::SmallVector<Warp *> findParties(llvm::ArrayRef<Warp *> waiting, bool &isCycle) {
  for (Warp *warp : waiting)
    if (llvm::SmallVector<Warp *> cycle = findPath(warp, isCycle); isCycle)
      return cycle;
  llvm::SmallVector<Warp *> parties = findPath(waiting.front(), isCycle);
  if (!parties.back()->waitsForWarps.empty()) // for warps that have exited
    return parties;
  std::set<std::pair<uint32_t, const Block *>> places;
  for (Warp *warp : parties)
    places.insert({warp->pc, &warp->block});
  for (Warp *warp : waiting)
    if (places.insert({warp->pc, &warp->block}).second)
      parties.push_back(warp);
  return parties;
}

static std::string explain(Warp &warp) {
  std::string text = "waits for " + warp.waitsFor;
  std::string exited;
  for (Warp *other : warp.waitsForWarps)
    if (other->exited)
      exited += (exited.empty() ? "" : ", ") + std::to_string(other->index);
  if (!exited.empty())
    text += ", of which warp " + exited + " has exited";
  return text;
}

void Cluster::reportDeadlock() {
  llvm::SmallVector<Warp *> waiting;
  explaining = true;
  for (Block &block : blocks)
    for (Warp &warp : block.warps)
      if (!warp.exited) {
        const Instruction &instruction = session.program.code[warp.pc];
        instruction.run(warp, instruction);
        waiting.push_back(&warp);
      }
  explaining = false;
  bool isCycle = false;
  llvm::SmallVector<Warp *> parties = findParties(waiting, isCycle);
  auto instructionOf = [&](Warp &warp) -> const Instruction & {
    return session.program.code[warp.pc];
  };
  Warp &first = *parties.front();
  std::string message = isCycle ? "warps wait for each other in a cycle: " : "no warp can go on: ";
  message += agents[first.agent].name() + " " + explain(first);
  Finding result = finding(FindingKind::Deadlock, first, instructionOf(first), -1, message);
  result.message += ", in block " + std::to_string(first.block.id);
  for (Warp *warp : llvm::ArrayRef(parties).drop_front())
    result.others.push_back({instructionOf(*warp).op, warp->block.id, warp->index,
                             agents[warp->agent].name(), explain(*warp)});
  session.reports.add(std::move(result));
}

} // namespace tilewright::simulator::machine
