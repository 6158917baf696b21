#include "support/Env.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <string_view>

using namespace tilewright;

TEST(Env, every_variable_has_a_unique_name_and_one_line_of_help) {
  std::set<std::string_view> names;
  for (const EnvInfo &variable : allEnv()) {
    EXPECT_TRUE(names.insert(variable.name).second) << variable.name;
    EXPECT_EQ(std::string_view(variable.help).find('\n'), std::string_view::npos);
    EXPECT_STREQ(envName(variable.id), variable.name);
  }
}

TEST(Env, empty_counts_as_unset) {
  setenv("TILEWRIGHT_CACHE_DIR", "", 1);
  EXPECT_FALSE(getEnv(EnvVar::CacheDir));
  setenv("TILEWRIGHT_CACHE_DIR", "/somewhere", 1);
  EXPECT_EQ(getEnv(EnvVar::CacheDir), "/somewhere");
  unsetenv("TILEWRIGHT_CACHE_DIR");
}

TEST(Env, switch_is_off_when_zero) {
  setenv("TILEWRIGHT_NO_CACHE", "0", 1);
  EXPECT_FALSE(isEnvOn(EnvVar::NoCache));
  setenv("TILEWRIGHT_NO_CACHE", "1", 1);
  EXPECT_TRUE(isEnvOn(EnvVar::NoCache));
  unsetenv("TILEWRIGHT_NO_CACHE");
  EXPECT_FALSE(isEnvOn(EnvVar::NoCache));
}
