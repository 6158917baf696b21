#include "tools/tilewright/SimulatedStep.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace tilewright;
using namespace tilewright::cli;

ErrorOr<driver::SimulatedLaunch> cli::simulateOn(const Job &job, const Step &step,
                                                 driver::Simulation &simulation, const Sizes &sizes,
                                                 HostTensors &tensors,
                                                 const simulator::MachineOptions &options) {
  auto address = [&](const std::string &name) -> void * { return tensors[name].bytes.data(); };
  TILEWRIGHT_ASSIGN(Operands operands, makeOperands(job, step, sizes, address, -1));
  std::vector<driver::HostMemory> memories;
  for (const frontend::Param *param : operands.call.params) {
    auto tensor = tensors.find(param->name);
    memories.emplace_back();
    if (param->kind == frontend::Param::Tensor && tensor != tensors.end())
      memories.back() = {tensor->second.bytes.data(), tensor->second.size()};
  }
  return simulation.run(operands.call, memories, options);
}

ErrorOr<SimulatedStep> cli::simulateStep(const Job &job, const Step &step,
                                         const driver::Attempt &wanted, const Sizes &sizes,
                                         HostTensors &tensors,
                                         const simulator::MachineOptions &options) {
  TILEWRIGHT_ASSIGN(driver::Simulation simulation, driver::Simulation::create(step.text, wanted));
  TILEWRIGHT_ASSIGN(driver::SimulatedLaunch launch,
                    simulateOn(job, step, simulation, sizes, tensors, options));
  return SimulatedStep{std::move(simulation), std::move(launch)};
}

/// The source lines with bank conflicts, the worst first.
static std::string describeConflicts(const simulator::Counters &counters) {
  std::map<std::string, uint64_t> conflicts;
  for (const auto &[op, counts] : counters.ops)
    if (auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
        place && counts.sharedWavefronts > counts.sharedIdeal)
      conflicts[fmt::format("{}:{}", place.getFilename().str(), place.getLine())] +=
          counts.sharedWavefronts - counts.sharedIdeal;
  std::vector<std::pair<uint64_t, std::string>> lines;
  for (const auto &[line, count] : conflicts)
    lines.push_back({count, line});
  std::sort(lines.rbegin(), lines.rend());
  std::string text;
  for (const auto &[count, line] : lines)
    text += fmt::format("                  {} of them at {}\n", count, line);
  return text;
}

std::string cli::describe(const simulator::Counters &counters) {
  const simulator::Counts &total = counters.total;
  std::string pipes;
  for (size_t i = 0; i < size_t(simulator::Pipe::None); ++i)
    if (counters.pipes[i])
      pipes += fmt::format("{}{} {}", pipes.empty() ? "" : ", ", nameOf(simulator::Pipe(i)).str(),
                           counters.pipes[i]);
  std::string text = fmt::format("  instructions    {}\n", pipes);
  if (total.sharedRequests)
    text += fmt::format("  shared memory   {} bytes in {} requests, {} wavefronts, {} by bank "
                        "conflicts\n",
                        total.sharedBytes, total.sharedRequests, total.sharedWavefronts,
                        total.sharedWavefronts - total.sharedIdeal) +
            describeConflicts(counters);
  if (total.globalRequests)
    text += fmt::format("  global memory   {} bytes in {} requests, {} sectors of 32 bytes\n",
                        total.globalBytes, total.globalRequests, total.globalSectors);
  return text;
}
