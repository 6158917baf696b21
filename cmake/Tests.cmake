# Every test has a time limit, so that one that hangs fails instead of holding up the others. The
# limits are ten times and more what the tests take, since the machine may be slow and busy.
include(GoogleTest)
set(TILEWRIGHT_TEST_SECONDS 900)   # one test
set(TILEWRIGHT_SUITE_SECONDS 7200) # a program that runs hundreds of cases as one entry of ctest

# tilewright_discover_tests(program [what gtest_discover_tests takes] [LABELS label...]): every test
# of a GoogleTest program.
function(tilewright_discover_tests program)
  cmake_parse_arguments(ARG "" "" "LABELS" ${ARGN})
  gtest_discover_tests(${program} ${ARG_UNPARSED_ARGUMENTS}
    DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT ${TILEWRIGHT_TEST_SECONDS} LABELS "${ARG_LABELS}")
endfunction()

# tilewright_suite(name COMMAND ... [what add_test takes]): a command that is one entry of ctest.
function(tilewright_suite name)
  add_test(NAME ${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TILEWRIGHT_SUITE_SECONDS})
endfunction()
