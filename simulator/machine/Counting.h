//===- Counting.h - instructions, bank conflicts, sectors -------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_COUNTING_H
#define TILEWRIGHT_SIMULATOR_MACHINE_COUNTING_H

#include "simulator/machine/Program.h"

namespace tilewright::simulator::machine {

/// The cost of an access to shared memory. A warp's accesses of up to 4 bytes run in one pass over
/// the 32 banks, 8-byte ones by half warps, 16-byte ones by quarters. A pass takes as many
/// wavefronts as there are different words in its busiest bank.
struct Wavefronts {
  unsigned taken = 0, fewest = 0; // fewest: without conflicts
};
Wavefronts wavefronts(const uint32_t *addresses, uint32_t lanes, int64_t bytes);

/// The different 32-byte sectors among those of the lanes; reorders them.
unsigned countSectors(int64_t *sectors, unsigned count);

/// Counts per instruction.
class Counting {
public:
  explicit Counting(const Program &program) : program(program), counts(program.code.size()) {}

  Counts &at(const Instruction &instruction) { return counts[instruction.index]; }
  Counters summary() const;

private:
  const Program &program;
  std::vector<Counts> counts;
};

} // namespace tilewright::simulator::machine

#endif
