// Kernels as tile IR text, with any tile extents.
#ifndef TILEWRIGHT_TESTS_PASSES_TILEKERNELS_H
#define TILEWRIGHT_TESTS_PASSES_TILEKERNELS_H

#include <cstdint>
#include <string>

namespace tilewright::passes {

/// (q, k, v, o, lse, scale): blocks of m rows and n columns, head dimension d.
std::string attention(int64_t m, int64_t n, int64_t d, bool causal, int64_t window,
                      const std::string &element);
/// (a, b, c) of f32.
std::string matmul(int64_t m, int64_t n, int64_t k);
/// (x, y): rows of a static size.
std::string softmax(int64_t columns);
/// (table, indices, out): adds the chosen rows, and their scan, to out.
std::string gather(int64_t extent);
/// (x, y, start, size): adds to rows of x, `extent` at a time, their sum, within a part of it; they
/// go to the same part of y.
std::string parts(int64_t extent);
/// (x): doubles blocks of x in place.
std::string scale(int64_t extent);

} // namespace tilewright::passes

#endif
