# TILEWRIGHT_SANITIZE=address,undefined or =thread: builds that find bugs. A report ends the program,
# so that the test that ran it fails. Assertions are on in these builds, as in Debug ones.
set(TILEWRIGHT_SANITIZE "" CACHE STRING "Sanitizers: `address,undefined`, `thread`, or none")
set(TILEWRIGHT_SANITIZE_FOLDERS "" CACHE STRING "Folders that sanitizers instrument; all if empty")
option(TILEWRIGHT_COVERAGE "Count which lines run, for gcov" OFF)

if(TILEWRIGHT_SANITIZE)
  string(REPLACE "," ";" _sanitizers "${TILEWRIGHT_SANITIZE}")
  list(TRANSFORM _sanitizers PREPEND "-fsanitize=")
  # -O1 -g1 take half the time of -O2 -g to build, and lines are all that reports need. GCC's flow
  # analysis warns of its own instrumentation.
  set(TILEWRIGHT_SANITIZE_OPTIONS
      ${_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1 -UNDEBUG
      -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  add_link_options(${_sanitizers})
  if(NOT TILEWRIGHT_SANITIZE_FOLDERS)
    add_compile_options(${TILEWRIGHT_SANITIZE_OPTIONS})
  endif()
endif()

# Instruments the targets of TILEWRIGHT_SANITIZE_FOLDERS, once all are known.
function(tilewright_sanitize_folders)
  foreach(folder ${TILEWRIGHT_SANITIZE_FOLDERS})
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      if(type MATCHES "LIBRARY|EXECUTABLE" AND NOT type STREQUAL INTERFACE_LIBRARY)
        target_compile_options(${target} PRIVATE ${TILEWRIGHT_SANITIZE_OPTIONS})
      endif()
    endforeach()
  endforeach()
endfunction()
cmake_language(DEFER CALL tilewright_sanitize_folders)

if(TILEWRIGHT_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
  if(NOT TILEWRIGHT_SANITIZE)
    add_compile_options(-O0)
  endif()
endif()
