//===- NvrtcSearch.cpp - Where NVRTC may be -------------------------------===//

#include "runtime/Nvrtc.h"
#include "support/Env.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <sstream>
#include <sys/stat.h>

namespace fs = std::filesystem;

namespace tilewright::runtime {

static constexpr const char *kSonames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

static void addLibrariesIn(const fs::path &folder, std::vector<std::string> &found) {
  std::error_code code;
  for (const char *soname : kSonames)
    if (fs::exists(folder / soname, code))
      found.push_back((folder / soname).string());
}

static void addToolkit(const fs::path &root, std::vector<std::string> &found) {
  for (const char *folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
    addLibrariesIn(root / folder, found);
}

/// NVIDIA's wheels: nvidia/cu13 since CUDA 13, nvidia/cuda_nvrtc before.
static void addWheels(const fs::path &sitePackages, std::vector<std::string> &found) {
  addLibrariesIn(sitePackages / "nvidia/cu13/lib", found);
  addLibrariesIn(sitePackages / "nvidia/cuda_nvrtc/lib", found);
}

static std::vector<fs::path> foldersIn(const fs::path &parent, std::string_view prefix) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (fs::directory_iterator it(parent, code), end; !code && it != end; it.increment(code))
    if (it->path().filename().string().starts_with(prefix))
      folders.push_back(it->path());
  std::sort(folders.rbegin(), folders.rend()); // Newest version first.
  return folders;
}

/// Inside a Python package we lie at most three folders below the one with the wheels.
static std::vector<fs::path> foldersAbove(fs::path folder) {
  std::vector<fs::path> folders;
  for (int level = 0; level < 3 && folder.has_relative_path(); ++level) {
    folders.push_back(folder);
    folder = folder.parent_path();
  }
  return folders;
}

/// Whether Python installs packages there. Any other folder may be that of a download.
static bool hasPackages(const fs::path &folder) {
  return folder.filename() == "site-packages" || folder.filename() == "dist-packages";
}

std::vector<std::string> nvrtcCandidates(const std::string &ownFolder) {
  if (std::optional<std::string> path = getEnv(EnvVar::Nvrtc))
    return {*path};
  std::vector<std::string> found;
  for (EnvVar variable : {EnvVar::TilewrightCudaHome, EnvVar::CudaHome, EnvVar::CudaPath})
    if (std::optional<std::string> home = getEnv(variable))
      addToolkit(*home, found);
  found.insert(found.end(), std::begin(kSonames), std::end(kSonames));
  for (const fs::path &toolkit : foldersIn("/usr/local", "cuda"))
    addToolkit(toolkit, found);
  for (const fs::path &folder : foldersAbove(ownFolder))
    if (hasPackages(folder))
      addWheels(folder, found);
  if (std::optional<std::string> environment = getEnv(EnvVar::VirtualEnv))
    for (const fs::path &python : foldersIn(fs::path(*environment) / "lib", "python"))
      addWheels(python / "site-packages", found);
  for (const fs::path &folder : foldersAbove(ownFolder))
    if (!hasPackages(folder))
      addWheels(folder, found);
  return found;
}

std::vector<std::string> nvrtcCandidates() {
  Dl_info self;
  bool known = ::dladdr(reinterpret_cast<void *>(&nvrtcStamp), &self) && self.dli_fname;
  return nvrtcCandidates(known ? fs::path(self.dli_fname).parent_path().string() : "");
}

/// Empty if there is no such file.
static std::string stampOf(const fs::path &file) {
  struct stat info;
  if (::stat(file.c_str(), &info))
    return "";
  return file.string() + ":" + std::to_string(info.st_size) + ":" +
         std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + "\n";
}

/// Of one that is in the process already, which its plain name then means.
static std::string stampOfLoaded() {
  std::string stamp;
  auto visit = [](dl_phdr_info *object, size_t, void *result) {
    if (fs::path(object->dlpi_name).filename().string().starts_with("libnvrtc.so"))
      *static_cast<std::string *>(result) += stampOf(object->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(visit, &stamp);
  return stamp;
}

/// Of what the system's search for a plain name reads.
static std::string stampOfName(const std::string &name) {
  std::string stamp = stampOf("/etc/ld.so.cache");
  std::stringstream folders(getEnv(EnvVar::LibraryPath).value_or(""));
  for (std::string folder; std::getline(folders, folder, ':');)
    stamp += stampOf(fs::path(folder) / name);
  return stamp;
}

const std::string &nvrtcStamp() {
  static const std::string &stamp = *new std::string([] {
    std::string all = stampOfLoaded();
    for (const std::string &candidate : nvrtcCandidates())
      all += candidate.find('/') == candidate.npos ? stampOfName(candidate) : stampOf(candidate);
    return all;
  }());
  return stamp;
}

} // namespace tilewright::runtime
