//===- Attention.h - what the attention programs compute --------------------------------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_ATTENTION_H
#define TILEWRIGHT_TESTS_HOPPER_ATTENTION_H

#include "passes/Pipeline.h"
#include "tests/hopper/Simulation.h"

#include <functional>

namespace tilewright::hopper {

/// q and o are [B, S, H, D], k and v [B, T, G, D], lse [B, H, S]; head h reads head h / (H / G).
struct AttentionSizes {
  int64_t B, S, T, H, G, D;
  bool causal = false; ///< Key t is visible to query s just if t <= s + T - S.
  float scale = 0.1f;  ///< Scores of random numbers are within a few units; beyond 1 far apart.

  std::vector<int64_t> queries() const { return {B, S, H, D}; }
  std::vector<int64_t> keys() const { return {B, T, G, D}; }
  std::vector<int64_t> rows() const { return {B, H, S}; }
  double flops() const; ///< Of both products, on the pairs that are visible.
};

/// A program of this folder, for heads of D numbers.
struct AttentionProgram {
  const char *file;
  int64_t D;
  bool causal;

  /// The file's name without its ending.
  std::string name() const { return std::string(file).substr(0, std::string(file).find('.')); }
};
inline constexpr AttentionProgram kAttentionPrograms[] = {
    {"attention.mlir", 128, false},          {"attention_wide.mlir", 128, false},
    {"attention_causal.mlir", 128, true},    {"attention_d64.mlir", 64, false},
    {"attention_d64_causal.mlir", 64, true}, {"attention_d64_causal_narrow.mlir", 64, true},
};

/// The text of attention.mlir, changed: the warpgroups take turns at starting their products, so
/// that the exponentials of one run while the other has the tensor cores.
std::string attentionByTurns();

/// Numbers of a tensor, by row (of all axes but the last) and column.
using Numbers2d = std::function<float(int64_t row, int64_t column)>;

/// A test failure unless o and lse are those of q, k and v, within the rounding to bf16.
void expectAttention(const AttentionSizes &sizes, const Numbers2d &q, const Numbers2d &k,
                     const Numbers2d &v, const Numbers2d &o, const Numbers2d &lse);

/// An attention program in the simulator, with random operands.
class AttentionRun {
public:
  AttentionRun(Program program, const AttentionSizes &sizes);

  /// The findings' flags; o and lse are made anew.
  std::string simulate(const simulator::MachineOptions &options, std::string *messages = nullptr);
  /// Runs its text as the interpreter understands it, as it is or after the passes of its level:
  /// what that says, or nothing.
  std::string interpret(const std::string &text, passes::Stage upTo);
  void expectResults();

  int64_t grid; ///< By default one block.

private:
  void clearResults();
  llvm::StringMap<simulator::MachineArgument> numbers() const;

  AttentionSizes sizes;
  Program code;
  HostMatrix q, k, v, o, lse;
};

} // namespace tilewright::hopper

#endif
