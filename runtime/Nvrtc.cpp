//===- Nvrtc.cpp - NVIDIA's run-time compiler, opened at run time ---------===//

#include "runtime/Nvrtc.h"

#include "runtime/DynamicLibrary.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace fs = std::filesystem;

namespace tilewright::runtime {

static constexpr const char *kHowToGet =
    "install NVIDIA's CUDA toolkit (its package `cuda-nvrtc-13-0` is enough; Debian: "
    "`nvidia-cuda-toolkit`; Python: `pip install nvidia-cuda-nvrtc`) or set TILEWRIGHT_CUDA_HOME";

/// libnvrtc looks its builtins up by plain name and finds them beside itself only if the system's
/// search does. Once loaded by full path they are found by name.
static void loadBuiltinsBeside(const fs::path &nvrtc) {
  std::error_code code;
  for (fs::directory_iterator it(nvrtc.parent_path(), code), end; !code && it != end;
       it.increment(code))
    if (it->path().filename().string().starts_with("libnvrtc-builtins.so."))
      (void)DynamicLibrary::open(it->path().string());
}

ErrorOr<Nvrtc> Nvrtc::load(const std::string &path) {
  if (path.find('/') != std::string::npos)
    loadBuiltinsBeside(path);
  TILEWRIGHT_ASSIGN(DynamicLibrary library, DynamicLibrary::open(path));
  Nvrtc nvrtc;
  NvrtcTable &table = nvrtc.table;
  const char *missing = nullptr;
#define TILEWRIGHT_NVRTC_FUNCTION(member, symbol, parameters)                                      \
  table.member = reinterpret_cast<decltype(table.member)>(library.find(symbol));                   \
  if (!table.member)                                                                               \
    missing = symbol;
#include "runtime/NvrtcFunctions.def"
  table.getErrorString =
      reinterpret_cast<decltype(table.getErrorString)>(library.find("nvrtcGetErrorString"));
  if (missing || !table.getErrorString)
    return Error{"`" + path + "` lacks `" + (missing ? missing : "nvrtcGetErrorString") +
                 "`: NVRTC 11.2 or newer is needed"};
  nvrtc.libraryPath = library.pathOf("nvrtcVersion");
  if (nvrtc.libraryPath.empty())
    nvrtc.libraryPath = path;
  loadBuiltinsBeside(nvrtc.libraryPath);

  int count = 0;
  if (table.version(&nvrtc.major, &nvrtc.minor) || table.getNumSupportedArchs(&count))
    return Error{"`" + path + "` does not report its version"};
  nvrtc.archs.resize(static_cast<size_t>(count));
  if (table.getSupportedArchs(nvrtc.archs.data()))
    return Error{"`" + path + "` does not report its architectures"};
  return nvrtc;
}

static ErrorOr<Nvrtc> findNvrtc() {
  std::string tried;
  for (const std::string &candidate : nvrtcCandidates()) {
    ErrorOr<Nvrtc> nvrtc = Nvrtc::load(candidate);
    if (nvrtc)
      return nvrtc;
    tried += "\n  " + nvrtc.error().message;
  }
  return Error{std::string("NVRTC, NVIDIA's run-time compiler, was not found; ") + kHowToGet +
               "; tried:" + tried};
}

ErrorOr<const Nvrtc *> Nvrtc::get() {
  (void)nvrtcStamp(); // which would see the library that is opened here
  // Never destroyed, like the library itself.
  static const auto &nvrtc = *new ErrorOr<Nvrtc>(findNvrtc());
  if (!nvrtc)
    return nvrtc.error();
  return &nvrtc.value();
}

/// NVRTC's own message for an unknown target does not say which ones it knows.
Status Nvrtc::checkTarget(const std::string &target) const {
  size_t prefix = target.starts_with("sm_") ? 3 : target.starts_with("compute_") ? 8 : 0;
  int arch = 0;
  std::from_chars(target.data() + prefix, target.data() + target.size(), arch);
  if (prefix && std::find(archs.begin(), archs.end(), arch) != archs.end())
    return {};
  std::string known;
  for (int supported : archs)
    known += " sm_" + std::to_string(supported);
  return Error{"NVRTC " + version() + " does not compile for `" + target + "`; it knows" + known};
}

namespace {

/// One program; destroyed with its scope.
struct Program {
  const NvrtcTable &table;
  NvrtcProgram handle = nullptr;

  ~Program() {
    if (handle)
      table.destroyProgram(&handle);
  }

  using SizeFunction = int (*)(NvrtcProgram, size_t *);
  using TextFunction = int (*)(NvrtcProgram, char *);

  std::string read(SizeFunction sizeOf, TextFunction textOf, bool isText) const {
    size_t size = 0;
    if (sizeOf(handle, &size) || size == 0)
      return "";
    std::string bytes(size, '\0');
    if (textOf(handle, bytes.data()))
      return "";
    while (isText && !bytes.empty() && bytes.back() == '\0')
      bytes.pop_back();
    return bytes;
  }
};

} // namespace

ErrorOr<CompiledText> Nvrtc::compile(const std::string &text, const std::string &fileName,
                                     const std::string &target,
                                     const std::vector<std::string> &options) const {
  TILEWRIGHT_TRY(checkTarget(target));
  Program program{table};
  if (int rc =
          table.createProgram(&program.handle, text.c_str(), fileName.c_str(), 0, nullptr, nullptr))
    return Error{std::string("NVRTC cannot start: ") + table.getErrorString(rc)};
  std::string arch = "-arch=" + target;
  std::vector<const char *> flags = {arch.c_str()};
  // NVRTC 13 keeps results of its own between processes; runtime/Cache.h is the one cache here,
  // which a user can move, empty and switch off. And of the built-in declarations our prelude needs
  // few: reading the rest takes 50 ms.
  if (major >= 13)
    flags.insert(flags.end(), {"--no-cache", "--minimal"});
  for (const std::string &option : options)
    flags.push_back(option.c_str());
  int rc = table.compileProgram(program.handle, static_cast<int>(flags.size()), flags.data());

  CompiledText result;
  result.log = program.read(table.getProgramLogSize, table.getProgramLog, /*isText=*/true);
  if (rc)
    return Error{"NVRTC " + version() + " cannot compile `" + fileName + "` for `" + target +
                 "`: " + table.getErrorString(rc) + "\n" + result.log};
  result.ptx = program.read(table.getPTXSize, table.getPTX, /*isText=*/true);
  result.cubin = program.read(table.getCUBINSize, table.getCUBIN, /*isText=*/false);
  return result;
}

} // namespace tilewright::runtime
