//@ types i8 i16 i32 i64 u8 u16 u32 u64 f32
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;

//@ f16 bf16 f8e4m3 f8e5m2
// Narrow floats are stored, never computed with.
typedef u16 f16, bf16;
typedef u8 f8e4m3, f8e5m2;

//@ f16x2 bf16x2 i16x2 i8x4 f8e4m3x4 f8e5m2x4
// Several narrow values packed in 32 bits, the first in the lowest.
typedef u32 f16x2, bf16x2, i16x2, i8x4, f8e4m3x4, f8e5m2x4;

//@ kInf
#define kInf __int_as_float(0x7f800000)

//@ kNaN
#define kNaN __int_as_float(0x7fc00000)

//@ read_bits
// Sets a register of 1 to 8 bytes from the low bits of `low` and, if it has 8 bytes, from `high`.
__device__ __forceinline__ void read_bits(bool &to, u32 low, u32 high) { to = u8(low); }
__device__ __forceinline__ void read_bits(i8 &to, u32 low, u32 high) { to = i8(low); }
__device__ __forceinline__ void read_bits(u8 &to, u32 low, u32 high) { to = u8(low); }
__device__ __forceinline__ void read_bits(i16 &to, u32 low, u32 high) { to = i16(low); }
__device__ __forceinline__ void read_bits(u16 &to, u32 low, u32 high) { to = u16(low); }
__device__ __forceinline__ void read_bits(i32 &to, u32 low, u32 high) { to = i32(low); }
__device__ __forceinline__ void read_bits(u32 &to, u32 low, u32 high) { to = low; }
__device__ __forceinline__ void read_bits(f32 &to, u32 low, u32 high) { to = __uint_as_float(low); }
__device__ __forceinline__ void read_bits(i64 &to, u32 low, u32 high) {
  to = i64(low | u64(high) << 32);
}

//@ bits_of
// The bits of a register, zero-extended.
__device__ __forceinline__ u64 bits_of(bool from) { return from; }
__device__ __forceinline__ u64 bits_of(i8 from) { return u8(from); }
__device__ __forceinline__ u64 bits_of(u8 from) { return from; }
__device__ __forceinline__ u64 bits_of(i16 from) { return u16(from); }
__device__ __forceinline__ u64 bits_of(u16 from) { return from; }
__device__ __forceinline__ u64 bits_of(i32 from) { return u32(from); }
__device__ __forceinline__ u64 bits_of(u32 from) { return from; }
__device__ __forceinline__ u64 bits_of(f32 from) { return __float_as_uint(from); }
__device__ __forceinline__ u64 bits_of(i64 from) { return u64(from); }

//@ unpack_words
// Spreads `kBytes` bytes of words over registers.
template <int kBytes, typename T>
__device__ __forceinline__ void unpack_words(T *to, const u32 *words) {
  constexpr int kSize = sizeof(T);
#pragma unroll
  for (int i = 0; i < kBytes / kSize; ++i) {
    const int byte = i * kSize;
    read_bits(to[i], words[byte / 4] >> 8 * (byte % 4), kSize == 8 ? words[byte / 4 + 1] : 0);
  }
}

//@ pack_words
// Gathers `kBytes` bytes of registers in words.
template <int kBytes, typename T>
__device__ __forceinline__ void pack_words(u32 *words, const T *from) {
  constexpr int kSize = sizeof(T);
#pragma unroll
  for (int word = 0; word < (kBytes + 3) / 4; ++word) {
    words[word] = kSize == 8 ? u32(bits_of(from[word / 2]) >> 32 * (word % 2)) : 0;
#pragma unroll
    for (int byte = 0; byte < 4 && kSize < 8; byte += kSize)
      if (word * 4 + byte < kBytes)
        words[word] |= u32(bits_of(from[(word * 4 + byte) / kSize])) << 8 * byte;
  }
}

//@ opaque
// The same value, of which the compiler knows nothing: what follows from it stays where it is.
template <typename T> __device__ __forceinline__ T opaque(T x) {
  u32 &word = reinterpret_cast<u32 &>(x);
  asm volatile("" : "+r"(word));
  return x;
}
