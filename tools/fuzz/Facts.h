//===- Facts.h - what is known of a value before it is computed -------------------------------===//
//
// Two correct executors may differ where the order of a sum or the rounding of a function is left
// open. How much is derived while the program is drawn: every value carries an interval and a bound
// on how far two correct results may be apart.
//
//   exact    error = 0: all executors give the same bits. Sums of such values are exact when they
//            are multiples of 2^-grain that an f32 holds, in any order of summation.
//   inexact  error > 0: an absolute bound that grows with each operation, by the operands' errors
//            through the operation's slope and by some units in the last place of its result.
//
// A comparison, an index, a conversion to an integer and a branch take exact values only: there a
// difference in the last bit would become a difference of another size.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_FACTS_H
#define TILEWRIGHT_TOOLS_FUZZ_FACTS_H

#include "frontend/Frontend.h"

#include <optional>

namespace tilewright::fuzz {

using frontend::Dtype;

struct Facts {
  double low = 0, high = 0;
  double error = 0;
  int grain = 0;

  bool isExact() const { return error == 0; }
  /// The largest absolute value, of any executor.
  double size() const;
};

/// Arbitrary reals: exact as they are, inexact after any arithmetic.
inline constexpr int kAnyGrain = 30;

bool isNumeric(Dtype dtype);   ///< Has arithmetic: not bool, not an 8-bit float.
bool isNarrow8(Dtype dtype);   ///< An 8-bit float.
bool isInteger(Dtype dtype);   ///< i8 to i64.
double largestOf(Dtype dtype); ///< That values are kept below.
double unitOf(Dtype dtype);    ///< The distance of 1 and the next number; 0 for integers.

/// An operation's result, given as in exact arithmetic, in a dtype: rounded, with its error.
/// Nothing if it may overflow, or if its error would hide mistakes.
std::optional<Facts> rounded(Dtype dtype, Facts ideal);

Facts hull(const Facts &a, const Facts &b);
Facts sum(const Facts &a, const Facts &b);
Facts difference(const Facts &a, const Facts &b);
Facts product(const Facts &a, const Facts &b);
Facts negated(const Facts &a);
Facts absolute(const Facts &a);
Facts larger(const Facts &a, const Facts &b);
Facts smaller(const Facts &a, const Facts &b);
/// Of bitwise operations on such integers.
Facts bitsOf(const Facts &a, const Facts &b);
/// The sum of `count` such values in any order, none of them to all of them.
Facts total(const Facts &a, double count);

} // namespace tilewright::fuzz

#endif
