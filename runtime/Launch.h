//===- Launch.h - From arguments to kernel parameters -----------*- C++ -*-===//
//
// A LaunchPlan is made once per kernel; it resolves every name to an index. Binding checks one set
// of arguments against it, computes the grid and packs the device function's parameters, without
// allocating, unless tensors start at zero. It needs no GPU, except that it asks the driver about
// the device.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/Driver.h"
#include "runtime/KernelSource.h"
#include "runtime/Tensor.h"
#include "runtime/ZeroTensors.h"

#include <cstddef>
#include <span>

namespace tilewright::runtime {

/// The driver accepts this many bytes of parameters on every GPU.
inline constexpr size_t kMaxParamBytes = 4096;

/// More than any kernel of ours; bounds the pointers that a launch keeps on its stack.
inline constexpr size_t kMaxParams = 256;

/// Arguments turned into what the driver takes. Made by LaunchPlan::makeBound and reused.
struct BoundLaunch {
  int64_t grid = 0; ///< Number of programs; 0: nothing to launch.
  int device = 0;
  std::vector<std::byte> params;  ///< One after the other, at LaunchPlan::paramOffsets.
  std::vector<ExprValue> values;  ///< Of all names: dimensions, scalar arguments, num_sms.
  std::vector<ZeroedRows> zeroed; ///< What is 0 before the programs run.
};

class LaunchPlan {
public:
  /// Fails if the description contradicts itself: it is checked here once, not at every launch.
  static ErrorOr<LaunchPlan> create(const KernelSource &source);

  BoundLaunch makeBound() const;

  /// Checks the arguments and fills `bound`. The error names the kernel, the argument and the
  /// values that disagree; `bound` is then unspecified.
  Status bind(std::span<const Argument> args, const Driver &driver, BoundLaunch &bound) const;

  /// The same for a launch that is simulated: the tensors are in host memory. Tensor maps are left
  /// empty.
  Status bindOnHost(std::span<const Argument> args, int64_t multiprocessors,
                    BoundLaunch &bound) const;

  /// Tells how many blocks run at once on a device, which `num_sms` says there from now on where it
  /// is less than its multiprocessors. Whether that is news: launches are then bound again.
  bool limitBlocks(int device, int64_t blocks);

  /// Where each of the device function's parameters starts in BoundLaunch::params.
  const std::vector<unsigned> &paramOffsets() const { return offsets; }

  /// A parameter that is the address of memory that the runtime keeps.
  struct MemoryParam {
    ParamKind kind;
    unsigned offset; ///< In BoundLaunch::params.
  };

  /// These addresses depend on the stream, so binding leaves them null.
  const std::vector<MemoryParam> &memoryParams() const { return memory; }

  /// Whether the device follows from the arguments; otherwise it is the caller's current one.
  bool hasTensors() const { return tensorCount != 0; }

private:
  static constexpr unsigned kNoSlot = ~0u;
  /// Slots that belong to no argument, and the first that does.
  static constexpr unsigned kMultiprocessorsSlot = 0, kProgramsSlot = 1, kFirstSlot = 2;

  struct Dim {
    unsigned slot = kNoSlot; ///< Of the value of this name.
    bool defines = false;    ///< The first use of the name; others must agree with it.
  };
  struct Slot {
    std::string name;
    unsigned argument = 0, axis = 0; ///< The defining use.
  };

  Status addArguments();
  Status addParams();
  Status findValue(const Param &param);
  std::string problemOf(const Param &param) const;
  std::string problemOfMemory(const Param &param) const;
  Status addExpressions();
  Error fail(const std::string &what) const;

  Status bindArguments(std::span<const Argument> args, BoundLaunch &bound) const;
  Status bindParams(std::span<const Argument> args, const Driver *driver, BoundLaunch &bound) const;
  Status bindTensor(unsigned index, const Argument &arg, BoundLaunch &bound) const;
  Status bindDims(unsigned index, const TensorRef &tensor, BoundLaunch &bound) const;
  Status checkDevice(std::span<const Argument> args, const Driver &driver,
                     BoundLaunch &bound) const;
  Status checkFacts(const TensorArg &expected, const TensorRef &tensor) const;
  Status evaluate(BoundLaunch &bound) const;
  Status packSize(const Param &param, int64_t value, std::byte *out) const;
  Status packParam(size_t index, std::span<const Argument> args, const Driver *driver,
                   BoundLaunch &bound) const;

  KernelSource source;             ///< Without the text; expressions use the slots' names.
  std::vector<int64_t> mostBlocks; ///< By device; 0: as many as there are multiprocessors.
  std::vector<Slot> slots;
  std::vector<std::vector<Dim>> dims; ///< Per argument; empty for scalars.
  std::vector<unsigned> scalarSlots;  ///< Per argument; kNoSlot for tensors.
  std::vector<unsigned> offsets;      ///< Per parameter.
  std::vector<unsigned> valueSlots;   ///< Per parameter; kNoSlot unless a dimension or a number.
  std::vector<MemoryParam> memory;
  size_t paramBytes = 0;
  unsigned tensorCount = 0;
};

} // namespace tilewright::runtime
