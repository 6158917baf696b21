# TILEWRIGHT_SANITIZE=address,undefined or =thread: builds that find bugs. A report ends the program,
# so that the test that ran it fails. Assertions are on in these builds, as in Debug ones.
set(TILEWRIGHT_SANITIZE "" CACHE STRING "Sanitizers: `address,undefined`, `thread`, or none")
option(TILEWRIGHT_COVERAGE "Count which lines run, for gcov" OFF)

if(TILEWRIGHT_SANITIZE)
  string(REPLACE "," ";" _sanitizers "${TILEWRIGHT_SANITIZE}")
  list(TRANSFORM _sanitizers PREPEND "-fsanitize=")
  # -O1 -g1 take half the time of -O2 -g to build, and lines are all that reports need.
  add_compile_options(${_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer
                      -O1 -g1 -UNDEBUG)
  add_link_options(${_sanitizers})
  # GCC's flow analysis warns of its own instrumentation.
  add_compile_options(-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(TILEWRIGHT_COVERAGE)
  add_compile_options(--coverage -O0)
  add_link_options(--coverage)
endif()
