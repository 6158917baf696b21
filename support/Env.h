//===- Env.h - Environment variables ----------------------------*- C++ -*-===//

#pragma once

#include "support/ErrorOr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tilewright {

/// Every environment variable that Tilewright reads; see Env.def.
enum class EnvVar {
#define TILEWRIGHT_ENV(enumerator, variable, help) enumerator,
#include "support/Env.def"
};

struct EnvInfo {
  EnvVar id;
  const char *name;
  const char *help; ///< One line.
};

/// All variables in the order of Env.def.
std::span<const EnvInfo> allEnv();

/// The variable's name as the user writes it.
const char *envName(EnvVar variable);

/// The variable's value; nothing if it is unset or empty.
std::optional<std::string> getEnv(EnvVar variable);

/// The variable's value as a whole number from `least` to `most`; nothing if it is unset or empty.
ErrorOr<std::optional<int64_t>> getEnvNumber(EnvVar variable, int64_t least, int64_t most);

/// Whether a switch is on: set, not empty and not "0".
bool isEnvOn(EnvVar variable);

} // namespace tilewright
