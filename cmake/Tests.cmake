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

# What a Python process needs that loads the package of this build. Python is not linked to
# AddressSanitizer, so it has to be loaded first, with the C++ library whose exceptions it watches;
# and Python itself leaks.
set(TILEWRIGHT_PYTHON_ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
if(TARGET tilewright_python)
  list(APPEND TILEWRIGHT_PYTHON_ENVIRONMENT
    "PYTHONPATH=$<TARGET_FILE_DIR:tilewright_python>/..")
endif()
if(TILEWRIGHT_SANITIZE MATCHES "address")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so
    OUTPUT_VARIABLE _asan OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so
    OUTPUT_VARIABLE _stdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH ${_stdcxx} _stdcxx)
  list(APPEND TILEWRIGHT_PYTHON_ENVIRONMENT "LD_PRELOAD=${_asan}:${_stdcxx}"
    "ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0")
endif()
