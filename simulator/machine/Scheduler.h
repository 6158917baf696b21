//===- Scheduler.h - the choices of a run -----------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_SCHEDULER_H
#define TILEWRIGHT_SIMULATOR_MACHINE_SCHEDULER_H

#include "simulator/Machine.h"

#include <random>

namespace tilewright::simulator::machine {

/// Decides what the program leaves open. An exhaustive schedule is run again and again: every run
/// repeats the choices of the one before up to the last that has an alternative left.
class Scheduler {
public:
  Scheduler(Schedule schedule, uint64_t seed) : schedule(schedule), random(seed) {}

  Schedule kind() const { return schedule; }
  bool isTimed() const { return schedule == Schedule::Timed; }
  /// Whether an asynchronous operation that starts now is done at once.
  bool movesAtOnce() {
    return schedule == Schedule::Eager || isTimed() ||
           (schedule == Schedule::Exhaustive && choose(2) == 0);
  }
  /// Whether warps may change at memory accesses, or at least where they synchronise.
  bool switchesAtMemory() const { return schedule == Schedule::Random; }
  bool switchesAtSync() const { return schedule >= Schedule::Random; }

  /// One of `options` alternatives; the first unless the schedule explores.
  size_t choose(size_t options);
  /// True once in `period` times, at random; a random schedule only.
  bool sometimes(unsigned period) { return schedule == Schedule::Random && random() % period == 0; }

  /// True three times in four, at random; a random schedule only.
  bool mostly() { return schedule == Schedule::Random && random() % 4 != 0; }

  /// Prepares the next run of an exhaustive schedule; false when all have been made.
  bool next();

private:
  struct Choice {
    size_t taken, options;
  };
  Schedule schedule;
  std::minstd_rand random;
  std::vector<Choice> choices;
  size_t position = 0;
};

} // namespace tilewright::simulator::machine

#endif
