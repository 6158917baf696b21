# Writes the commit of SOURCE to OUTPUT, as a C string: `cmake -DSOURCE=… -DOUTPUT=… -P`. It is empty
# where the sources are not a git repository of their own.
find_package(Git QUIET)
set(_commit "")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse --show-toplevel --short=12 HEAD
                  OUTPUT_VARIABLE _lines OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE _failed ERROR_QUIET)
  string(REPLACE "\n" ";" _lines "${_lines}")
  file(REAL_PATH "${SOURCE}" _source)
  if(NOT _failed)
    list(GET _lines 0 _root)
    file(REAL_PATH "${_root}" _root)
    if(_root STREQUAL _source)
      list(GET _lines 1 _commit)
    endif()
  endif()
endif()
file(WRITE ${OUTPUT} "\"${_commit}\"\n")
