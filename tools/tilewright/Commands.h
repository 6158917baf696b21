//===- Commands.h - what the subcommands do ---------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H

#include "support/ErrorOr.h"
#include "tools/tilewright/Job.h"

namespace tilewright::cli {

struct RunOptions {
  KernelArgs kernel;
  uint64_t seed = 1;
  bool check = true;
  unsigned repeat = 50;
};

struct CompileOptions {
  KernelArgs kernel;
  std::string emit = "cuda"; ///< One of kEmits.
  std::string output;        ///< Empty or `-`: standard output.
};

inline constexpr const char *kEmits[] = {"tile-raw", "tile",  "cta",  "cuda-ir", "cuda",
                                         "ptx",      "cubin", "sass", "report"};

Status run(const RunOptions &options);
Status compile(const CompileOptions &options);
Status explain(const KernelArgs &args);
Status list();
Status targets();
/// Also fails when something that compiling needs is missing.
Status doctor();

/// What is known of a compiled kernel and of its work, as text.
ErrorOr<std::string> report(const Job &job);

} // namespace tilewright::cli

#endif
