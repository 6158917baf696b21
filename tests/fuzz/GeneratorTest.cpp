#include "tools/fuzz/Session.h"

#include <gtest/gtest.h>
#include <regex>

using namespace tilewright::fuzz;

TEST(Generator, drawsTheSameProgramForASeed) {
  EXPECT_EQ(caseOfSeed(11).str(), caseOfSeed(11).str());
  EXPECT_NE(caseOfSeed(11).str(), caseOfSeed(12).str());
}

TEST(Generator, everyFormOfTheLanguageIsDrawn) {
  std::string all;
  for (uint64_t seed = 0; seed < 400; ++seed)
    all += caseOfSeed(seed).str();
  for (const char *form :
       {"dot(",       "tf32=True", ".T",          "cumsum(",     "argmax(",
        "argmin(",    "sum(",      "max(",        "min(",        "any(",
        "all(",       "where(",    " if ",        "elif ",       "else:",
        "for ",       "while ",    "atomic_add(", "atomic_max(", "atomic_min(",
        "@inline",    "fma(",      "**",          "//",          "%",
        "<<",         ">>",        " & ",         " | ",         " ^ ",
        "~",          "not ",      " and ",       " or ",        "abs(",
        "floor(",     "ceil(",     "round(",      "exp(",        "exp2(",
        "log(",       "log2(",     "sqrt(",       "rsqrt(",      "sin(",
        "cos(",       "tanh(",     "erf(",        "sigmoid(",    "span(",
        "iota(",      "block(",    "load(",       "fill=",       "[:, None]",
        "f8e4m3",     "f8e5m2",    "i64",         "padded",      "strided",
        "misaligned", "reversed",  "broadcast",   "backwards",   "start_at_zero("})
    EXPECT_NE(all.find(form), std::string::npos) << form;
  // Variables that change places.
  EXPECT_TRUE(std::regex_search(all, std::regex(" (\\w+), (\\w+) = \\2, \\1\n")));
}
