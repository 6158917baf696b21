//===- Harness.h - from a kernel's IR to PTX for every target ---------------------------------===//
#ifndef TILEWRIGHT_TESTS_CODEGEN_HARNESS_H
#define TILEWRIGHT_TESTS_CODEGEN_HARNESS_H

#include "ir/Target.h"

#include <string>
#include <vector>

namespace tilewright::codegen {

/// A kernel in the cuda dialect: a function with these arguments and this body, in which `%c0` to
/// `%c16` are i32 constants, `%t` the thread and `%p` a predicate.
std::string kernelIr(const std::string &arguments, const std::string &body, int threads = 32);

/// The CUDA C++ of a module's only kernel; a test failure and "" if it does not print.
std::string printed(const std::string &ir);

/// The targets from `first` on that NVRTC 13 knows and that differ for us.
std::vector<int> targetsFrom(int first);

/// Those that have `feature`.
std::vector<int> targetsWith(Feature feature);

/// PTX of `text` for sm_<arch>, from 90 on with what that generation alone has (`a`). A test
/// failure if it does not compile, compiles with a warning or with a stack frame.
std::string compiled(const std::string &text, int arch);

/// Compiles `ir` for all targets from `first` on; the PTX of each must contain all of `wanted`.
void expectPtx(const std::string &ir, int first, const std::vector<std::string> &wanted);

/// The same for each of `targets`.
void expectPtx(const std::string &ir, const std::vector<int> &targets,
               const std::vector<std::string> &wanted);

} // namespace tilewright::codegen

#endif
