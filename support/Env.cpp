//===- Env.cpp - Environment variables ------------------------------------===//

#include "support/Env.h"

#include <charconv>
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

ErrorOr<std::optional<int64_t>> getEnvNumber(EnvVar variable, int64_t least, int64_t most) {
  std::optional<std::string> text = getEnv(variable);
  if (!text)
    return std::optional<int64_t>();
  int64_t number = 0;
  const char *end = text->data() + text->size();
  auto [rest, failure] = std::from_chars(text->data(), end, number);
  if (failure != std::errc() || rest != end || number < least || number > most)
    return Error{std::string(envName(variable)) + " is `" + *text + "`, not a whole number from " +
                 std::to_string(least) + " to " + std::to_string(most)};
  return std::optional(number);
}

bool isEnvOn(EnvVar variable) {
  std::optional<std::string> value = getEnv(variable);
  return value && *value != "0";
}

} // namespace tilewright
