#include "simulator/reference/Program.h"

#include "ir/cta/Cta.h"

#include <cstring>

namespace tilewright::simulator {

//===- Frame ----------------------------------------------------------------------------------===//

Frame::Frame(Execution &execution) : execution(execution), table(kernels()) {
  constexpr int64_t kAlignment = 64;
  const Program &program = execution.program;
  storage.reset(new char[program.arenaBytes + kAlignment]);
  auto address = reinterpret_cast<uintptr_t>(storage.get());
  arena = storage.get() + (kAlignment - address % kAlignment) % kAlignment;
  for (const Program::Constant &constant : program.constants)
    std::memcpy(arena + constant.slot, constant.bytes.data(), constant.bytes.size());
}

void Frame::fail(mlir::Operation *op, std::string message) {
  if (!execution.failure)
    execution.failure = Failure{op, std::move(message)};
}

void Frame::start(size_t from, size_t to) {
  pc = from;
  end = to;
  waiting = false;
  cursors.acquired.assign(execution.program.rings.size(), 0);
  cursors.awaited.assign(execution.program.rings.size(), 0);
}

bool Frame::resume() {
  const Instruction *code = execution.program.code.data();
  uint64_t executed = 0;
  waiting = false;
  for (; pc != end && !execution.failure && !waiting; ++executed) {
    const Instruction &instruction = code[pc++];
    instruction.run(instruction, *this);
  }
  execution.statistics.instructions += executed;
  return !waiting || executed > 1;
}

std::pair<int64_t, int64_t> Frame::ownRows(int64_t rows) const {
  int64_t copies = role ? role->copies : 1;
  if (rows % copies != 0) // no tile that they share out: all hold the same
    return {0, warpgroup == 0 ? rows : 0};
  return {warpgroup * (rows / copies), (warpgroup + 1) * (rows / copies)};
}

//===- Execution ------------------------------------------------------------------------------===//

Execution::Execution(const Program &program) : program(program), rings(program.rings), main(*this) {
  for (const RoleCode &role : program.roles)
    for (int64_t copy = 0; copy < role.copies; ++copy) {
      Frame &frame = *roles.emplace_back(std::make_unique<Frame>(*this));
      frame.role = &role;
      frame.number = unsigned(roles.size()) - 1;
      frame.warpgroup = copy;
    }
}

bool Execution::run() {
  failure.reset();
  rings.reset();
  main.start(0, program.code.size()); // jumps over the roles
  main.resume();
  if (main.waiting)
    reportDeadlock();
  return !failure && runRoles();
}

/// Roles run in turn as far as they can. The result does not depend on which one is first.
bool Execution::runRoles() {
  for (auto &frame : roles) {
    std::memcpy(frame->arena, main.arena, size_t(program.arenaBytes));
    frame->start(frame->role->begin, frame->role->end);
  }
  bool moved = true, done = false;
  while (moved && !done && !failure) {
    moved = false, done = true;
    for (auto &frame : roles) {
      moved |= !frame->isDone() && frame->resume();
      done &= frame->isDone();
    }
  }
  if (!done && !failure)
    reportDeadlock();
  return !failure;
}

//===- Deadlocks ------------------------------------------------------------------------------===//

/// `role "load" waits for a slot of `as` to be released`.
static std::string describeWait(const Frame &frame) {
  const Instruction &at = frame.execution.program.code[frame.pc];
  std::string who = frame.role ? "role \"" + frame.role->name + "\"" : "the kernel";
  if (frame.role && frame.role->copies > 1)
    who = "warpgroup " + std::to_string(frame.warpgroup) + " of " + who;
  return who + " waits for a slot of `" + frame.execution.program.rings[at.parameter].name +
         "` to be " + (mlir::isa<cta::WaitOp>(at.op) ? "committed" : "released");
}

void Execution::reportDeadlock() {
  auto report = [&](const Frame &frame) {
    mlir::Operation *op = program.code[frame.pc].op;
    if (!failure)
      failure = Failure{op, "nobody can go on: " + describeWait(frame)};
    else
      failure->notes.push_back({op, describeWait(frame)});
  };
  if (main.waiting)
    report(main);
  for (auto &frame : roles)
    if (frame->waiting)
      report(*frame);
}

} // namespace tilewright::simulator
