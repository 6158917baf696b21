#include "simulator/machine/Scheduler.h"

namespace tilewright::simulator::machine {

size_t Scheduler::choose(size_t options) {
  if (options <= 1)
    return 0;
  if (schedule == Schedule::Random)
    return random() % options;
  if (schedule != Schedule::Exhaustive)
    return 0;
  if (position == choices.size())
    choices.push_back({0, options});
  return choices[position++].taken;
}

bool Scheduler::next() {
  position = 0;
  while (!choices.empty() && choices.back().taken + 1 == choices.back().options)
    choices.pop_back();
  if (choices.empty())
    return false;
  ++choices.back().taken;
  return true;
}

} // namespace tilewright::simulator::machine
