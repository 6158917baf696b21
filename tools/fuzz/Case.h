//===- Case.h - a kernel file with the data to run it on --------------------------------------===//
//
// What a program becomes once it is drawn: the text of a kernel, and in comments at its head, one
// line per argument, all that running and judging it needs. A case is therefore one file that can
// be replayed, edited by hand, and kept as a test:
//
//   # dim M = 37
//   # scalar s = 3
//   # tensor x: values [-4, 4] step 0.25, padded, seed 7
//   # tensor y: result, error 0.001, contiguous
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_CASE_H
#define TILEWRIGHT_TOOLS_FUZZ_CASE_H

#include "support/ErrorOr.h"
#include "tools/tilewright/StridedTensor.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright::fuzz {

/// How a tensor argument is made, and how its contents are judged afterwards.
struct TensorPlan {
  std::string name;
  cli::Memory memory = cli::Memory::Contiguous;
  /// Whether it holds values before the call; else it is poisoned.
  bool isFilled = true;
  /// The values: multiples of `step` in [low, high], by the seed. A step of 0: any reals.
  double low = 0, high = 0, step = 1;
  uint64_t seed = 0;
  /// How far two correct results may differ.
  double error = 0;
};

struct Case {
  std::string text;             ///< Of the kernel alone.
  std::string file = "fuzz.py"; ///< As messages name it.
  size_t linesBefore = 0;       ///< In the file, before the text.
  std::map<std::string, int64_t> dims;
  std::map<std::string, double> scalars;
  std::vector<TensorPlan> tensors;

  /// The whole file: comments, then the kernel.
  std::string str() const;
};

/// Reads what `str` writes.
ErrorOr<Case> parseCase(const std::string &file);

/// The tensor that a plan describes.
cli::StridedTensor makeTensor(const TensorPlan &plan, runtime::ElementType type,
                              const std::vector<int64_t> &shape);

} // namespace tilewright::fuzz

#endif
