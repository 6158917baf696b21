//===- DynamicLibrary.cpp - Libraries opened at run time ------------------===//

#include "runtime/DynamicLibrary.h"

#include <dlfcn.h>

namespace tilewright::runtime {

ErrorOr<DynamicLibrary> DynamicLibrary::open(const std::string &nameOrPath) {
  DynamicLibrary library;
  library.handle = ::dlopen(nameOrPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    return Error{::dlerror()};
  return library;
}

void *DynamicLibrary::find(const char *symbol) const { return ::dlsym(handle, symbol); }

std::string DynamicLibrary::pathOf(const char *symbol) const {
  void *address = find(symbol);
  Dl_info info;
  if (!address || !::dladdr(address, &info) || !info.dli_fname)
    return "";
  return info.dli_fname;
}

} // namespace tilewright::runtime
