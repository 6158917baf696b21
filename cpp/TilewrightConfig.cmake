# find_package(Tilewright) gives tilewright::tilewright, which compiles kernels as they are called, and
# tilewright::runtime, which runs those that were compiled before. A program links with one of them.
include(${CMAKE_CURRENT_LIST_DIR}/TilewrightTargets.cmake)
