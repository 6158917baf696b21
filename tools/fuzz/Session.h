//===- Session.h - many programs, their findings, what is kept of them ------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_SESSION_H
#define TILEWRIGHT_TOOLS_FUZZ_SESSION_H

#include "tools/fuzz/Oracle.h"

namespace tilewright::fuzz {

struct SessionOptions {
  uint64_t seed = 1; ///< Of the first program; the others follow.
  size_t count = 100;
  OracleOptions oracle;
  size_t machineCodeEvery = 0; ///< Every so many programs are compiled to machine code; 0: none.
  unsigned jobs = 1;
  size_t shrinkAttempts = 400;
  size_t mostShrunk = 10; ///< Findings beyond these are only counted.
  bool blame = false;
  std::string saveFolder; ///< Empty: nothing is saved.
};

/// A finding with the smallest program that shows it.
struct ShrunkFinding {
  uint64_t seed = 0;
  Finding finding;
  Case test;
  std::vector<std::string> blamed; ///< Passes without which it vanishes.
};

/// What makes two findings the same: where it happens, and how, without names and numbers.
std::string kindOf(const Finding &finding);

/// The case that a seed stands for.
Case caseOfSeed(uint64_t seed);

/// The findings for each seed.
std::vector<std::pair<uint64_t, Finding>> findFaults(const SessionOptions &options);

/// Shrinks the finding of a seed.
ShrunkFinding shrinkFinding(uint64_t seed, const Finding &finding, const SessionOptions &options);

/// The passes without which a finding vanishes.
std::vector<std::string> blame(const Case &test, const Finding &finding,
                               const OracleOptions &options);

/// Runs a session and prints what it finds; whether it found nothing.
ErrorOr<bool> runSession(const SessionOptions &options);

/// Checks the case of one file.
ErrorOr<std::optional<Finding>> replay(const std::string &path, const OracleOptions &options);

} // namespace tilewright::fuzz

#endif
