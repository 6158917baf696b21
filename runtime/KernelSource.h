//===- KernelSource.h - What the compiler hands to the runtime --*- C++ -*-===//
//
// Plain data: the text of one specialised kernel and everything needed to compile, check and launch
// it. The compiler fills it in, the cache and ahead-of-time bundles store it as JSON.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "runtime/ElementType.h"
#include "runtime/Expr.h"
#include "support/ErrorOr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::runtime {

/// One dimension of a tensor argument.
struct DimRef {
  std::string name;            ///< Empty for a dimension without a name, which must be static.
  std::optional<int64_t> size; ///< Set if the kernel was compiled for this size.

  bool operator==(const DimRef &) const = default;
};

/// When a launch sets a tensor to 0, before its programs run.
enum class Zeroing : uint8_t {
  Never,
  BeforeLaunch,
  WithoutPrograms, ///< The kernel stores all elements, but a grid of 0 programs does not run it.
};

/// A tensor argument and the facts that the compiled code relies on. A launch with a tensor that
/// lacks one of them is refused. Strides of dimensions with one element do not matter.
struct TensorArg {
  std::string name = {};
  ElementType type = ElementType::F32;
  std::vector<DimRef> dims;
  /// Bytes: the base address and all strides but the innermost are multiples of it. 1 to 16.
  unsigned alignment = 1;
  bool unitInnerStride = false; ///< The elements of the innermost dimension are adjacent.
  bool index32 = false;         ///< Every element's offset, in elements, fits in int32.
  Zeroing zeroing = Zeroing::Never;

  bool operator==(const TensorArg &) const = default;
};

struct ScalarArg {
  std::string name = {};
  ElementType type = ElementType::I32;

  bool operator==(const ScalarArg &) const = default;
};

/// One argument of the kernel as its user sees it.
using Arg = std::variant<TensorArg, ScalarArg>;

/// How rows of a tensor-map box are permuted in shared memory; values as in the driver API.
enum class TensorMapSwizzle : uint8_t { None = 0, Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };

/// How a TMA descriptor views a tensor argument.
struct TensorMapSpec {
  /// The tensor's axes, outermost first; the last must have unit stride. At most 5. Axes left out
  /// are not reachable through the map. In front of them may stand those along which parts of the
  /// tensor are moved, not the innermost one, and in front of these the first of them again: the
  /// axis that leads back (support/TensorParts.h).
  std::vector<unsigned> axes;
  /// Elements copied at a time along each of `axes`; 1 to 256.
  std::vector<unsigned> box;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  /// Copies to shared memory round f32 to tf32.
  bool tf32 = false;
  /// Copies go to the tensor: whole chunks of 16 bytes, so its rows must end with one.
  bool isStored = false;

  bool operator==(const TensorMapSpec &) const = default;
};

enum class ParamKind : uint8_t {
  Pointer,   ///< Base address of tensor `argument`.
  Dim,       ///< Size of the dimension called `name`, as `type`.
  Stride,    ///< Stride of axis `axis` of tensor `argument`, in elements, as `type`.
  Scalar,    ///< Value of scalar `argument`, as `type`.
  TensorMap, ///< 128-byte TMA descriptor of tensor `argument`, made from `map`.
  /// Address of an i32 that is 0 when the kernel starts, which leaves it so (TileCounters.h).
  TileCounter,
  /// Address of `bytes` bytes for each block of the grid, with any content (Workspaces.h).
  Workspace,
  /// Address of an i32 for each block of the grid, or of `bytes` bytes of them. They are 0 when the
  /// kernel starts, which leaves them so (Workspaces.h).
  Flags,
  /// Address of `bytes` bytes for each block of the grid, but at most kTimelineBlocks of them, in
  /// which a kernel with a timeline leaves its events (support/Timeline.h).
  Events,
  /// Value of the expression `value`, as `type`: higher bits are dropped. Numbers behind it may use
  /// it as `name`.
  Number,
};

/// Whether a parameter is the address of memory that the runtime keeps. It belongs to no argument,
/// and a kernel has at most one of each such kind.
constexpr bool isRuntimeMemory(ParamKind kind) {
  return kind == ParamKind::TileCounter || kind == ParamKind::Workspace ||
         kind == ParamKind::Flags || kind == ParamKind::Events;
}

/// One parameter of the device function.
struct Param {
  ParamKind kind = ParamKind::Pointer;
  unsigned argument = 0;
  unsigned axis = 0;
  ElementType type = ElementType::I64;
  std::string name = {};
  TensorMapSpec map = {};
  unsigned bytes = 0; ///< Of a workspace, of flags or of events, per block: a multiple of 16.
  Expr value = {};

  bool operator==(const Param &) const = default;
};

/// An `assert` of the kernel over launch-time values.
struct LaunchCheck {
  Expr condition;       ///< The launch is refused where this is 0.
  std::string message;  ///< The user's words; may be empty.
  std::string location; ///< `file:line` of the assert.
  /// Where this is 0, a launch takes the kernel's next plan instead (PlanChoice.h).
  bool selects = false;

  bool operator==(const LaunchCheck &) const = default;
};

/// A name that `grid`, the checks and numbers may use beside dimensions and scalar arguments: the
/// number of multiprocessors of the device, for kernels whose programs loop over tiles.
inline constexpr std::string_view kNumMultiprocessors = "num_sms";
/// A name that numbers may use beside these: what `grid` is.
inline constexpr std::string_view kNumPrograms = "num_programs";

struct KernelSource {
  std::string entry;  ///< Name of the `extern "C"` device function; also used in messages.
  std::string text;   ///< CUDA C++.
  std::string target; ///< `sm_90a`: passed to NVRTC as the architecture.
  std::vector<std::string> options; ///< Further NVRTC options.
  std::vector<Arg> args;            ///< In the order of the kernel's declaration.
  std::vector<Param> params;        ///< In the order of the device function.
  /// Number of programs: the grid is (grid, 1, 1). 0 programs are no launch and a success.
  Expr grid = Expr::constant(1);
  std::vector<LaunchCheck> checks;
  unsigned threads = 128;       ///< Per program.
  unsigned sharedBytes = 0;     ///< Dynamic shared memory per program.
  unsigned clusterSize = 1;     ///< Programs per cluster; `grid` must come out as a multiple.
  bool dependentLaunch = false; ///< The code orders itself after its predecessor (griddepcontrol).
  std::string location;         ///< `file:line` of the kernel.

  bool operator==(const KernelSource &) const = default;
};

/// The source as JSON text; stable, so that equal sources give equal text.
std::string toJson(const KernelSource &source);

/// Reads what toJson wrote. Fails on malformed text and on missing or mistyped fields.
ErrorOr<KernelSource> kernelSourceFromJson(std::string_view json);

} // namespace tilewright::runtime
