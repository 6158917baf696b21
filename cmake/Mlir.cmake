# LLVM and MLIR 19, linked statically.
#
# Debian builds MLIR's libraries against the shared libLLVM, and every MLIR target says so in its
# link interface. A tool linked that way starts in 20 ms and needs 16 libraries; so the interface
# is rewritten here to the static LLVMSupport, whose own optional dependencies (zlib, zstd, z3)
# none of our code reaches.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
# LLVM writes dependency files by the top of the build folder; by the newer policy CMake takes them as
# written by the current one, and Ninja, which then finds other outputs in them, runs tablegen in
# every build. A function keeps the policies under which it was defined.
cmake_policy(PUSH)
cmake_policy(SET CMP0116 OLD)
include(TableGen)
cmake_policy(POP)
include(AddLLVM)
include(AddMLIR)
set(LLVM_LINK_LLVM_DYLIB OFF)

get_property(_mlir_libs GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(_lib IN LISTS _mlir_libs)
  if(TARGET ${_lib})
    get_target_property(_links ${_lib} INTERFACE_LINK_LIBRARIES)
    if(_links)
      list(TRANSFORM _links REPLACE "^LLVM$" "LLVMSupport")
      set_target_properties(${_lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${_links}")
    endif()
  endif()
endforeach()
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "dl;m;LLVMDemangle")

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS})

# The headers that every compiler source includes; parsing them is most of the build time.
add_library(tilewright_pch OBJECT ${CMAKE_CURRENT_LIST_DIR}/Pch.cpp)
target_precompile_headers(tilewright_pch PRIVATE
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Pass/Pass.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>)

# tilewright_library(name SOURCES... LINK libs...): a static library of compiler code.
function(tilewright_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM tilewright_pch)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tilewright_tablegen(target TD <-gen-flags file>...): one .td file to its .inc files.
macro(tilewright_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(_args ${ARGN})
  list(LENGTH _args _count)
  math(EXPR _last "${_count} - 1")
  foreach(_i RANGE 0 ${_last} 2)
    math(EXPR _j "${_i} + 1")
    list(GET _args ${_i} _file)
    list(GET _args ${_j} _flags)
    string(REPLACE " " ";" _flags "${_flags}")
    mlir_tablegen(${_file} ${_flags} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR})
  endforeach()
  add_public_tablegen_target(${target})
endmacro()
