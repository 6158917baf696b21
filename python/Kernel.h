//===- Kernel.h - what a Python kernel object holds -------------------------------------------===//
#ifndef TILEWRIGHT_PYTHON_KERNEL_H
#define TILEWRIGHT_PYTHON_KERNEL_H

#include "planner/Planner.h"
#include "python/Arguments.h"
#include "tools/driver/Load.h"
#include "tools/driver/TimelineTrace.h"
#include "tools/driver/Tuner.h"

#include <tvm/ffi/object.h>

#include <atomic>

namespace tilewright::python {

/// What a kernel was compiled for, or is to be compiled for.
struct Subject {
  driver::Attempt wanted;
  driver::Memo::Result compiled; ///< Null if nothing was compiled yet.
  planner::Launch launch = {};   ///< Of the arguments; nothing without them.
  /// Measures code on arguments like these; empty if they are on no GPU of the target.
  std::function<ErrorOr<driver::Timed>(const runtime::Kernel &)> time = {};
};

/// One kernel with all its compiled code. Thread-safe. The member functions throw.
class KernelObj : public tvm::ffi::Object {
public:
  KernelObj(driver::KernelTextPtr text, driver::Config config);

  /// Launches on the GPU that holds the tensors, on the current stream of their framework; runs the
  /// reference interpreter if all are in host memory.
  void call(const Arguments &arguments, const driver::Settings &settings);
  /// Compiles and loads, so that a call may be captured into a graph.
  void prepare(const Arguments &arguments, const driver::Settings &settings);
  /// Runs the reference interpreter.
  void interpret(const Arguments &arguments, const driver::Settings &settings);

  /// The subject for these arguments on a target; an empty target stands for the GPU at hand.
  /// Without arguments, the subject of the last call.
  Subject subject(const Arguments &arguments, const driver::Settings &settings,
                  const std::string &target);
  /// The best plans for these arguments, with their predictions.
  std::vector<planner::Ranked> plans(const Arguments &arguments, const driver::Settings &settings,
                                     const std::string &target, size_t count);
  /// Compiles the subject, if that has not been done.
  const driver::Compiled &compiled(Subject &subject);

  /// Runs with time stamps, on the GPU or in the machine simulator: what is printed of the
  /// timeline, and its file.
  std::pair<std::string, std::string> timeline(const Arguments &arguments,
                                               const driver::Settings &settings, int64_t stamps,
                                               TimelineDetail detail);

  const driver::KernelTextPtr &text() const { return source; }
  const frontend::Signature &signature() const { return source->signature(); }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tilewright.Kernel", KernelObj, tvm::ffi::Object);

private:
  const driver::Compiled &find(const driver::Call &call, const driver::Settings &settings);
  void chooseTarget(driver::Attempt &wanted, const std::string &target, int device) const;
  driver::Attempt wantedFor(const driver::Call &call, const Arguments &arguments,
                            const driver::Settings &settings, const std::string &target) const;
  Subject lastSubject(const std::string &target);
  driver::Timeline recordOnGpu(const driver::Call &call, Subject subject, int device);
  driver::Timeline recordOnCpu(const driver::Call &call, const driver::Attempt &wanted);

  driver::KernelTextPtr source;
  driver::Config config;
  std::string stated; ///< The target that the program or the plan is for.
  driver::Function function;
  driver::Memo inspected;

  /// Of the last call: its code, which is never freed, or null after a call on the CPU.
  std::atomic<const driver::Compiled *> lastCompiled = nullptr;
  std::mutex mutex;
  std::optional<driver::Attempt> lastInterpreted;
};

class Kernel : public tvm::ffi::ObjectRef {
public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Kernel, tvm::ffi::ObjectRef, KernelObj);
};

} // namespace tilewright::python

#endif
