// `tilewright list`, `targets` and `doctor`.
#include "ir/Target.h"
#include "runtime/Doctor.h"
#include "runtime/Nvrtc.h"
#include "tools/driver/Builtins.h"
#include "tools/tilewright/Commands.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::cli;
using frontend::Param;

static std::string tensorText(const Param &param) {
  std::string text =
      param.name + ": " + (param.dtype ? dtypeName(*param.dtype).str() : param.dtypeVariable) + "[";
  for (const frontend::Dim &dim : param.dims)
    text +=
        (text.back() == '[' ? "" : ", ") + (dim.name.empty() ? std::to_string(dim.size) : dim.name);
  return text + (param.optional ? "]?" : "]");
}

static void printSignature(const frontend::Signature &signature) {
  fmt::print("{:20} {}\n", signature.name, signature.doc.substr(0, signature.doc.find('\n')));
  std::string tensors, others, dtypes;
  for (const Param &param : signature.params) {
    if (param.kind == Param::Tensor) {
      tensors += (tensors.empty() ? "" : ", ") + tensorText(param);
      continue;
    }
    others += (others.empty() ? "" : ", ") + param.name;
    if (param.defaultValue)
      others += "=" + toString(*param.defaultValue);
  }
  for (const frontend::DtypeVariable &variable : signature.dtypes) {
    dtypes += (dtypes.empty() ? "" : "; ") + variable.name + " in";
    for (frontend::Dtype dtype : variable.allowed)
      dtypes += (" " + dtypeName(dtype)).str();
  }
  fmt::print("{:20} {}\n", "", tensors);
  fmt::print("{:20} {}{}{}\n", "", dtypes, others.empty() || dtypes.empty() ? "" : "; ", others);
}

Status cli::list() {
  for (const driver::BuiltinFile &file : driver::builtinFiles())
    for (const std::string &name : driver::kernelNames(file.text)) {
      TILEWRIGHT_ASSIGN(driver::KernelTextPtr text, driver::loadKernel(name));
      printSignature(text->signature());
    }
  return {};
}

static std::string featureText(const Target &target) {
  static constexpr std::pair<Feature, const char *> kNames[] = {
      {MmaF16, "mma f16"}, {MmaBf16, "bf16"},     {MmaTf32, "tf32"},     {MmaI8, "i8"},
      {MmaF8, "f8"},       {CpAsync, "cp.async"}, {Stmatrix, "stmatrix"}};
  std::string text;
  for (auto [feature, name] : kNames)
    if (target.has(feature))
      text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

Status cli::targets() {
  ErrorOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get();
  fmt::print("{:8} {:>14} {:>11}  {:14} {}\n", "target", "shared memory", "threads/SM", "NVRTC",
             "features");
  for (const Target &target : allTargets()) {
    std::string support = "not found";
    if (nvrtc) {
      const std::vector<int> &archs = (*nvrtc)->supportedArchs();
      int arch = std::stoi(target.name.substr(3).str());
      bool known = std::find(archs.begin(), archs.end(), arch) != archs.end();
      support = known ? "compiles" : "does not know";
    }
    fmt::print("{:8} {:>14} {:>11}  {:14} {}\n", target.name.str(), target.smem,
               target.threadsPerSm, support, featureText(target));
  }
  return {};
}

Status cli::doctor() {
  runtime::DoctorReport report = runtime::examine();
  fmt::print("{}", report.str());
  if (!report.canCompile())
    return Error{"kernels cannot be compiled to machine code on this machine"};
  return {};
}
