//===- MeasuredData.h - arguments like those of a call ----------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_MEASUREDDATA_H
#define TILEWRIGHT_TOOLS_DRIVER_MEASUREDDATA_H

#include "runtime/Archive.h"
#include "runtime/Device.h"
#include "tools/driver/HostTensor.h"
#include "tools/driver/Measure.h"

namespace llvm::json {
class Object;
} // namespace llvm::json

namespace tilewright::driver {

/// Describes the arguments of a call in a file.
Status packData(runtime::Archive &file, const Call &call, int device, const DataHints &hints);

/// The arguments that a file describes, on a GPU.
class MeasuredData {
public:
  /// Calls `alive` before each argument, since large tensors take a while.
  static ErrorOr<MeasuredData> unpack(runtime::Archive &file, const runtime::Driver &driver,
                                      const std::function<void()> &alive);
  MeasuredData(MeasuredData &&) = default; // a copy's arguments would point into the original

  /// Resets what kernels write: to its initial contents, or to NaN bits if they do not read it.
  Status reset(runtime::Stream stream);
  /// What kernels have written; pieces of tensors with more than 2^25 elements.
  ErrorOr<HostTensors> results() const;
  /// The type with the fewest digits among the tensors' floats; f32 if there are none.
  runtime::ElementType coarsest() const;

  const std::vector<runtime::Argument> &arguments() const { return list; }
  int device() const { return ordinal; }

private:
  struct Tensor {
    std::string name;
    runtime::ElementType type;
    bool read, written;
    std::vector<int64_t> extents; ///< The shape, and behind it the strides.
    int64_t elements;             ///< From the first to the last.
    size_t offset;                ///< Of the first, in the buffer.
    HostTensor initial;           ///< Kept if it is both read and written.
    runtime::DeviceBuffer buffer;

    Status restore();
    ErrorOr<HostTensor> download() const;
  };
  MeasuredData() = default;
  Status addArgument(const llvm::json::Object &entry, runtime::Archive &file,
                     const runtime::Driver &driver);
  Status addTensor(const llvm::json::Object &entry, std::optional<std::string> contents,
                   const runtime::Driver &driver);

  int ordinal = 0;
  std::vector<std::unique_ptr<Tensor>> tensors;
  std::vector<runtime::Argument> list;
};

} // namespace tilewright::driver

#endif
