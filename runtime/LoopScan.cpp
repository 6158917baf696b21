//===- LoopScan.cpp - Loops of machine code -------------------------------===//

#include "runtime/LoopScan.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::runtime {

using Edges = std::vector<std::vector<size_t>>;

/// Marks what can be reached from `start` without `barrier`, which is marked too.
static std::vector<bool> reach(const Edges &edges, size_t start, size_t barrier) {
  std::vector<bool> seen(edges.size());
  std::vector<size_t> open = {start};
  seen[start] = seen[barrier] = true;
  while (!open.empty()) {
    size_t at = open.back();
    open.pop_back();
    for (size_t next : edges[at])
      if (!seen[next]) {
        seen[next] = true;
        open.push_back(next);
      }
  }
  return seen;
}

static Edges reversed(const Edges &edges) {
  Edges result(edges.size());
  for (size_t at = 0; at < edges.size(); ++at)
    for (size_t next : edges[at])
      result[next].push_back(at);
  return result;
}

bool CodeLoop::contains(size_t instruction) const {
  return std::binary_search(body.begin(), body.end(), instruction);
}

std::vector<CodeLoop> findLoops(const std::vector<Instruction> &code) {
  std::optional<Edges> next = controlFlow(code);
  if (!next || code.empty())
    return {};
  Edges before = reversed(*next);
  // An edge goes back if its target is on every way to it; the loop is what leads there.
  std::map<size_t, std::set<size_t>> bodies;
  for (size_t header = 0; header < code.size(); ++header) {
    if (before[header].size() < 2)
      continue;
    std::vector<bool> around = reach(*next, 0, header);
    for (size_t last : before[header]) {
      if (around[last] && last != header)
        continue;
      std::vector<bool> body = reach(before, last, header);
      for (size_t at = 0; at < code.size(); ++at)
        if (body[at])
          bodies[header].insert(at);
    }
  }
  std::vector<CodeLoop> loops;
  for (auto &[header, body] : bodies)
    loops.push_back({header, {body.begin(), body.end()}});
  return loops;
}

std::vector<CodeLoop> loopsThatMultiply(const std::vector<Instruction> &code,
                                        const std::vector<CodeLoop> &loops) {
  std::vector<CodeLoop> result;
  for (const CodeLoop &loop : loops)
    if (std::any_of(loop.body.begin(), loop.body.end(),
                    [&](size_t at) { return code[at].kind() == InstructionKind::Tensor; }))
      result.push_back(loop);
  return result;
}

std::vector<size_t> localAccesses(const std::vector<Instruction> &code,
                                  const std::vector<CodeLoop> &loops) {
  std::vector<size_t> result;
  for (size_t at = 0; at < code.size(); ++at)
    if (code[at].kind() == InstructionKind::Local &&
        std::any_of(loops.begin(), loops.end(),
                    [&](const CodeLoop &loop) { return loop.contains(at); }))
      result.push_back(at);
  return result;
}

ProductLoops scanLoops(const std::vector<Instruction> &code) {
  std::vector<CodeLoop> loops = loopsThatMultiply(code, findLoops(code));
  ProductLoops result;
  result.multiplies = std::any_of(code.begin(), code.end(), [](const Instruction &instruction) {
    return instruction.kind() == InstructionKind::Tensor;
  });
  result.found = !loops.empty();
  result.localAccesses = static_cast<unsigned>(localAccesses(code, loops).size());
  return result;
}

} // namespace tilewright::runtime
