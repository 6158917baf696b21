// Sine and cosine of any angle. CUDA's own keep the digits of large angles in local memory, which
// every kernel that calls them then pays for; these keep them in registers. Errors are below 2 ulp.

//@ turn_digits
// Word `i` of the binary digits of 1 / (2 pi).
__device__ __forceinline__ u32 turn_digits(i32 i) {
  return i < 0    ? 0
         : i == 0 ? 0x28be60dbu
         : i == 1 ? 0x9391054au
         : i == 2 ? 0x7f09d5f4u
         : i == 3 ? 0x7d4d3770u
         : i == 4 ? 0x36d8a566u
         : i == 5 ? 0x4f10e410u
                  : 0x7f9458eau;
}

//@ reduce_large_angle
// The angle is m * 2^(exponent - 32), and of the digits of 1 / (2 pi) only those count that give
// fractions of a turn: the 96 from exponent - 32 on.
__device__ __forceinline__ f32 reduce_large_angle(f32 x, i32 &quadrant) {
  const u32 bits = __float_as_uint(x);
  const u32 m = bits << 8 | 0x80000000;
  const i32 exponent = i32(bits >> 23 & 0xff) - 126;
  const i32 word = exponent / 32 - 1, shift = exponent % 32;
  const u32 w1 = turn_digits(word + 1), w2 = turn_digits(word + 2);
  const u32 high = __funnelshift_l(w1, turn_digits(word), shift);
  const u32 middle = __funnelshift_l(w2, w1, shift);
  const u32 low = __funnelshift_l(turn_digits(word + 3), w2, shift);
  // The fraction of a turn in 64 bits; its first two are the quadrant.
  const u64 turn = (u64(m * high) << 32) + u64(m) * middle + (u64(m) * low >> 32);
  const i64 rest = i64(turn << 2) >> 2; // from -1/8 to 1/8 of a turn, in units of 2^-64
  quadrant = i32((turn - u64(rest)) >> 62);
  const f32 angle = f32(double(rest) * 0x1.921fb54442d18p-62); // pi/2 * 2^-62
  if (i32(bits) < 0)
    quadrant = -quadrant;
  return i32(bits) < 0 ? -angle : angle;
}

//@ reduce_angle
// `x` less a multiple, `quadrant`, of pi/2: between -pi/4 and pi/4.
__device__ __forceinline__ f32 reduce_angle(f32 x, i32 &quadrant) {
  if (fabsf(x) > 105615.0f)
    return fabsf(x) < kInf ? reduce_large_angle(x, quadrant) : kNaN;
  const f32 count = rintf(x * 0.636619747f);
  quadrant = i32(count);
  // pi/2 in three parts, of which the first times `count` is exact.
  f32 rest = fmaf(count, -0x1.921fb0p0f, x);
  rest = fmaf(count, -0x1.5110b4p-22f, rest);
  return fmaf(count, -0x1.846988p-48f, rest);
}

//@ sine_or_cosine
// The sine of `x`, |x| <= pi/4, moved on by `quadrant` right angles.
__device__ __forceinline__ f32 sine_or_cosine(f32 x, i32 quadrant) {
  const f32 square = x * x;
  const bool odd = quadrant & 1;
  f32 sum = odd ? 2.44677067e-5f : 2.86567956e-6f;
  sum = fmaf(sum, square, odd ? -1.38877297e-3f : -1.98559923e-4f);
  sum = fmaf(sum, square, odd ? 4.16666567e-2f : 8.33338592e-3f);
  sum = fmaf(sum, square, odd ? -0.5f : -1.66666672e-1f);
  const f32 factor = odd ? 1.0f : x;
  const f32 result = fmaf(sum, square * factor, factor);
  return quadrant & 2 ? -result : result;
}

//@ sin_f32
__device__ __forceinline__ f32 sin_f32(f32 x) {
  i32 quadrant = 0;
  const f32 rest = reduce_angle(x, quadrant);
  return sine_or_cosine(rest, quadrant);
}

//@ cos_f32
__device__ __forceinline__ f32 cos_f32(f32 x) {
  i32 quadrant = 0;
  const f32 rest = reduce_angle(x, quadrant);
  return sine_or_cosine(rest, quadrant + 1);
}

//@ tan_f32
__device__ __forceinline__ f32 tan_f32(f32 x) {
  i32 quadrant = 0;
  const f32 rest = reduce_angle(x, quadrant);
  return divide(sine_or_cosine(rest, quadrant), sine_or_cosine(rest, quadrant + 1));
}
