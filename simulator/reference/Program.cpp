#include "simulator/reference/Program.h"

#include <cstring>

namespace tilewright::simulator {

Frame::Frame(const Program &program) : program(program), table(kernels()) {
  constexpr int64_t kAlignment = 64;
  storage.reset(new char[program.arenaBytes + kAlignment]);
  auto address = reinterpret_cast<uintptr_t>(storage.get());
  arena = storage.get() + (kAlignment - address % kAlignment) % kAlignment;
  for (const Program::Constant &constant : program.constants)
    std::memcpy(arena + constant.slot, constant.bytes.data(), constant.bytes.size());
}

bool Frame::execute() {
  const Instruction *code = program.code.data();
  size_t size = program.code.size();
  uint64_t executed = 0;
  failure.reset();
  for (pc = 0; pc < size && !failure; ++executed) {
    const Instruction &instruction = code[pc++];
    instruction.run(instruction, *this);
  }
  statistics.instructions += executed;
  return !failure;
}

} // namespace tilewright::simulator
