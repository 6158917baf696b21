//===- Check.h - a job's data, the reference, the comparison ----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_CHECK_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_CHECK_H

#include "tools/driver/HostTensor.h"
#include "tools/driver/Measure.h"
#include "tools/tilewright/Job.h"

namespace tilewright::cli {

using driver::Comparison;
using driver::coordinates;
using driver::HostTensor;
using driver::HostTensors;

struct Access {
  bool read = false, written = false;
};

/// All tensors of a job with what its steps do to them. What an earlier step writes is no input.
std::map<std::string, Access> accesses(const Job &job);

/// Random inputs and poisoned outputs.
HostTensors makeTensors(const Job &job, const Sizes &sizes, uint64_t seed);
/// The same for a measuring process: weights need their own scale, and integers may be indices.
driver::DataHints hintsFor(const Job &job, const Step &step, uint64_t seed);

struct InterpretOptions {
  bool optimized = false;    ///< Run the steps as the tile passes leave them.
  uint64_t perturbation = 0; ///< As simulator::Options has it.
};

/// Runs all steps in the reference interpreter.
Status interpretJob(const Job &job, const Sizes &sizes, HostTensors &tensors,
                    const InterpretOptions &options = {});

/// Fails if the job cannot be run with these sizes: an assert that the host checks does not hold,
/// or a compile-time size is not accepted.
Status checkSizes(const Job &job, const Sizes &sizes);

/// How much work is done on a CPU: operations of products, elements of everything else.
struct Budget {
  double flops, elements;
};

/// Sizes within a budget: the largest run-time dimensions halved, equal ones together, until the
/// work is small. Compile-time dimensions stay, so that the same code is checked.
ErrorOr<Sizes> sizesToCheck(const Job &job, const Budget &budget);

/// Where an output first differs, in words.
std::string describeDifference(const Job &job, const std::string &name, const HostTensor &reference,
                               const Comparison &result);

/// Prints the comparison of every output; fails on the first that differs too much. Where one does,
/// the reference runs on the tensors of `sizes` and `seed` again with other roundings, which tells
/// what the program makes of these.
Status compareOutputs(const Job &job, const Sizes &sizes, uint64_t seed, const HostTensors &found,
                      const HostTensors &expected);

} // namespace tilewright::cli

#endif
