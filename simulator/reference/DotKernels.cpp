// Matrix products. Every element of the result is acc, then fma(a, b, acc) for k = 0, 1, …: a
// product is exact and each step rounds once, whatever the blocking, so all variants give the same
// bits.
//
// The blocking: 16 columns of b are packed so that they stream from the first-level cache, and 4
// rows of a run against them with the 4 × 16 sums in registers.
#include "simulator/NarrowFloat.h"
#include "simulator/reference/Kernels.h"

#include <cmath>
#include <memory>
#ifdef __FMA__
#include <immintrin.h>
#endif

namespace tilewright::simulator::TILEWRIGHT_VARIANT {

constexpr int64_t kColumns = 16;
constexpr int64_t kRows = 4;

#ifdef __FMA__
/// sums (Rows × 16, `pitch` apart) += a (Rows × k, k apart) · panel (k × 16).
template <int Rows>
static void multiplyPanel(float *sums, int64_t pitch, const float *a, const float *panel,
                          int64_t k) {
  __m256 low[Rows], high[Rows];
  for (int row = 0; row < Rows; ++row) {
    low[row] = _mm256_loadu_ps(sums + row * pitch);
    high[row] = _mm256_loadu_ps(sums + row * pitch + 8);
  }
  for (int64_t i = 0; i < k; ++i) {
    __m256 left = _mm256_loadu_ps(panel + i * kColumns);
    __m256 right = _mm256_loadu_ps(panel + i * kColumns + 8);
    for (int row = 0; row < Rows; ++row) {
      __m256 factor = _mm256_broadcast_ss(a + row * k + i);
      low[row] = _mm256_fmadd_ps(factor, left, low[row]);
      high[row] = _mm256_fmadd_ps(factor, right, high[row]);
    }
  }
  for (int row = 0; row < Rows; ++row) {
    _mm256_storeu_ps(sums + row * pitch, low[row]);
    _mm256_storeu_ps(sums + row * pitch + 8, high[row]);
  }
}
#else
template <int Rows>
static void multiplyPanel(float *sums, int64_t pitch, const float *a, const float *panel,
                          int64_t k) {
  for (int64_t i = 0; i < k; ++i)
    for (int row = 0; row < Rows; ++row)
      for (int column = 0; column < kColumns; ++column)
        sums[row * pitch + column] =
            std::fma(a[row * k + i], panel[i * kColumns + column], sums[row * pitch + column]);
}
#endif

static void multiplyRows(float *sums, int64_t pitch, const float *a, const float *panel, int64_t m,
                         int64_t k) {
  int64_t row = 0;
  for (; row + kRows <= m; row += kRows)
    multiplyPanel<kRows>(sums + row * pitch, pitch, a + row * k, panel, k);
  for (; row < m; ++row)
    multiplyPanel<1>(sums + row * pitch, pitch, a + row * k, panel, k);
}

/// Copies `width` columns of rows `from` apart to rows `to` apart, and zeros the columns beyond.
static void copyColumns(float *target, int64_t to, const float *source, int64_t from, int64_t rows,
                        int64_t width, int64_t padded) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < padded; ++column)
      target[row * to + column] = column < width ? source[row * from + column] : 0.0f;
}

static void dotFloat(float *acc, const float *a, const float *b, int64_t m, int64_t n, int64_t k) {
  std::unique_ptr<float[]> panel(new float[(k + m) * kColumns]);
  float *edge = panel.get() + k * kColumns;
  for (int64_t column = 0; column < n; column += kColumns) {
    int64_t width = n - column < kColumns ? n - column : kColumns;
    copyColumns(panel.get(), kColumns, b + column, n, k, width, kColumns);
    if (width == kColumns) {
      multiplyRows(acc + column, n, a, panel.get(), m, k);
      continue;
    }
    copyColumns(edge, kColumns, acc + column, n, m, width, kColumns);
    multiplyRows(edge, kColumns, a, panel.get(), m, k);
    copyColumns(acc + column, n, edge, kColumns, m, width, width);
  }
}

static void dotInteger(int32_t *acc, const int32_t *a, const int32_t *b, int64_t m, int64_t n,
                       int64_t k) {
  for (int64_t row = 0; row < m; ++row)
    for (int64_t i = 0; i < k; ++i) {
      uint32_t factor = uint32_t(a[row * k + i]);
#pragma GCC ivdep
      for (int64_t column = 0; column < n; ++column)
        acc[row * n + column] =
            int32_t(uint32_t(acc[row * n + column]) + factor * uint32_t(b[i * n + column]));
    }
}

static void dotDouble(double *acc, const double *a, const double *b, int64_t m, int64_t n,
                      int64_t k) {
  for (int64_t row = 0; row < m; ++row)
    for (int64_t i = 0; i < k; ++i) {
      double factor = a[row * k + i];
#pragma GCC ivdep
      for (int64_t column = 0; column < n; ++column)
        acc[row * n + column] = std::fma(factor, b[i * n + column], acc[row * n + column]);
    }
}

void addDotKernels(Kernels &table) {
  table.dotDouble = dotDouble;
  table.dotFloat = dotFloat;
  table.dotInteger = dotInteger;
}

} // namespace tilewright::simulator::TILEWRIGHT_VARIANT
