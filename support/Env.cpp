//===- Env.cpp - Environment variables ------------------------------------===//

#include "support/Env.h"

#include <cstdlib>

namespace tilewright {

static constexpr EnvInfo kVariables[] = {
#define TILEWRIGHT_ENV(enumerator, variable, help) {EnvVar::enumerator, variable, help},
#include "support/Env.def"
};

std::span<const EnvInfo> allEnv() { return kVariables; }

const char *envName(EnvVar variable) { return kVariables[static_cast<size_t>(variable)].name; }

std::optional<std::string> getEnv(EnvVar variable) {
  const char *value = std::getenv(envName(variable));
  if (!value || !*value)
    return std::nullopt;
  return value;
}

bool isEnvOn(EnvVar variable) {
  std::optional<std::string> value = getEnv(variable);
  return value && *value != "0";
}

} // namespace tilewright
