#include "tools/fuzz/Texts.h"

#include "support/Files.h"
#include "tools/driver/Compiler.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <filesystem>

using namespace tilewright;
using namespace tilewright::fuzz;
using llvm::StringRef;

//===- Reading --------------------------------------------------------------------------------===//

static bool isText(const std::filesystem::path &path) {
  return path.extension() == ".py" || path.extension() == ".mlir";
}

ErrorOr<std::vector<SourceText>> fuzz::readTexts(const std::vector<std::string> &paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    std::error_code none;
    if (!std::filesystem::is_directory(path, none)) {
      files.push_back(path);
      continue;
    }
    for (const auto &entry : std::filesystem::directory_iterator(path, none))
      if (isText(entry.path()))
        files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<SourceText> sources;
  for (const std::string &file : files) {
    TILEWRIGHT_ASSIGN(std::string text, readFile(file));
    sources.push_back({std::filesystem::path(file).filename().string(), std::move(text)});
  }
  if (sources.empty())
    return Error{"`" + llvm::join(paths, "`, `") + "` has no file that ends in .py or .mlir"};
  return sources;
}

SourceText fuzz::drawText(Choices &choices, const std::vector<SourceText> &originals) {
  SourceText result = choices.pick(originals);
  for (int64_t left = choices.between(1, 4); left > 0; --left) {
    Choices::Part part(choices);
    changeText(choices, result, originals);
  }
  return result;
}

//===- Checking -------------------------------------------------------------------------------===//

/// A refusal says where, and why: one that does not is a fault.
static Finding refusalOf(const SourceText &source, const Error &error) {
  constexpr size_t kLongest = 200;
  std::string line = StringRef(error.message).split('\n').first.substr(0, kLongest).str();
  bool isClear = error.message.find(source.file) != error.message.npos;
  return {isClear ? kRefused : "unclear", line};
}

/// The last kernel of a file, by a glance at its text.
static std::string kernelIn(StringRef text) {
  StringRef behind = text.substr(text.rfind("@kernel")).split("def ").second;
  return behind.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).str();
}

/// Binds what a host would.
static frontend::Specialisation bindAnything(const frontend::Signature &signature) {
  frontend::Specialisation bound;
  for (const frontend::DimInfo &dim : signature.dims)
    if (dim.isStatic)
      bound.dims[dim.name] = 64;
  for (const frontend::DtypeVariable &variable : signature.dtypes)
    bound.dtypes[variable.name] = variable.allowed.front();
  for (const frontend::Param &param : signature.params) {
    if (param.kind == frontend::Param::Const && !param.defaultValue)
      bound.consts[param.name] = param.constType == "bool"    ? frontend::ConstValue(true)
                                 : param.constType == "int"   ? frontend::ConstValue(int64_t(3))
                                 : param.constType == "float" ? frontend::ConstValue(0.5)
                                                              : frontend::Dtype::F32;
    if (param.kind == frontend::Param::Tensor)
      bound.tensors[param.name] = {};
  }
  return bound;
}

static Status lowerText(const SourceText &source) {
  bool isKernel = StringRef(source.file).ends_with(".py");
  std::string name = isKernel ? kernelIn(source.text) : "";
  TILEWRIGHT_ASSIGN(driver::KernelTextPtr kernel,
                    driver::loadKernelText(source.text, source.file, name));
  if (isKernel) {
    auto module = driver::KernelModule::lower(kernel, bindAnything(kernel->signature()));
    return module ? Status() : Status(module.error());
  }
  driver::Attempt attempt;
  attempt.config.target = kernel->target;
  auto lowered = driver::lowerToCuda(kernel, attempt);
  return lowered ? Status() : Status(lowered.error());
}

std::optional<Finding> fuzz::checkText(const SourceText &source) {
  Status status = lowerText(source);
  return status ? std::nullopt : std::optional(refusalOf(source, status.error()));
}
