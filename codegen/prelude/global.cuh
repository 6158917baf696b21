// Accesses to memory. The suffix is the number of bits that one thread moves; `to` and `from` are
// registers holding so many. Where `inside` is false nothing happens. The `nc` loads are for memory
// that no thread writes while the kernel runs.
//
// The statements are volatile so that they keep their order with each other and with barriers. They
// clobber no memory: register arrays stay registers.

//@ load_global_b8
template <typename T>
__device__ __forceinline__ void load_global_b8(T *to, const void *from, bool inside = true) {
  u32 words[1];
  pack_words<1>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside ld.global.u8 %0, [%1];\n\t"
               "}"
               : "+r"(words[0])
               : "l"(from), "r"(i32(inside)));
  unpack_words<1>(to, words);
}

//@ load_global_b16
template <typename T>
__device__ __forceinline__ void load_global_b16(T *to, const void *from, bool inside = true) {
  u32 words[1];
  pack_words<2>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside ld.global.u16 %0, [%1];\n\t"
               "}"
               : "+r"(words[0])
               : "l"(from), "r"(i32(inside)));
  unpack_words<2>(to, words);
}

//@ load_global_b32
template <typename T>
__device__ __forceinline__ void load_global_b32(T *to, const void *from, bool inside = true) {
  u32 words[1];
  pack_words<4>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside ld.global.b32 %0, [%1];\n\t"
               "}"
               : "+r"(words[0])
               : "l"(from), "r"(i32(inside)));
  unpack_words<4>(to, words);
}

//@ load_global_b64
template <typename T>
__device__ __forceinline__ void load_global_b64(T *to, const void *from, bool inside = true) {
  u32 words[2];
  pack_words<8>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %3, 0;\n\t"
               "@inside ld.global.v2.b32 {%0, %1}, [%2];\n\t"
               "}"
               : "+r"(words[0]), "+r"(words[1])
               : "l"(from), "r"(i32(inside)));
  unpack_words<8>(to, words);
}

//@ load_global_b128
template <typename T>
__device__ __forceinline__ void load_global_b128(T *to, const void *from, bool inside = true) {
  u32 words[4];
  pack_words<16>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %5, 0;\n\t"
               "@inside ld.global.v4.b32 {%0, %1, %2, %3}, [%4];\n\t"
               "}"
               : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3])
               : "l"(from), "r"(i32(inside)));
  unpack_words<16>(to, words);
}

//@ load_global_nc_b8
template <typename T>
__device__ __forceinline__ void load_global_nc_b8(T *to, const void *from, bool inside = true) {
  u32 words[1];
  pack_words<1>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside ld.global.nc.u8 %0, [%1];\n\t"
               "}"
               : "+r"(words[0])
               : "l"(from), "r"(i32(inside)));
  unpack_words<1>(to, words);
}

//@ load_global_nc_b16
template <typename T>
__device__ __forceinline__ void load_global_nc_b16(T *to, const void *from, bool inside = true) {
  u32 words[1];
  pack_words<2>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside ld.global.nc.u16 %0, [%1];\n\t"
               "}"
               : "+r"(words[0])
               : "l"(from), "r"(i32(inside)));
  unpack_words<2>(to, words);
}

//@ load_global_nc_b32
template <typename T>
__device__ __forceinline__ void load_global_nc_b32(T *to, const void *from, bool inside = true) {
  u32 words[1];
  pack_words<4>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside ld.global.nc.b32 %0, [%1];\n\t"
               "}"
               : "+r"(words[0])
               : "l"(from), "r"(i32(inside)));
  unpack_words<4>(to, words);
}

//@ load_global_nc_b64
template <typename T>
__device__ __forceinline__ void load_global_nc_b64(T *to, const void *from, bool inside = true) {
  u32 words[2];
  pack_words<8>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %3, 0;\n\t"
               "@inside ld.global.nc.v2.b32 {%0, %1}, [%2];\n\t"
               "}"
               : "+r"(words[0]), "+r"(words[1])
               : "l"(from), "r"(i32(inside)));
  unpack_words<8>(to, words);
}

//@ load_global_nc_b128
template <typename T>
__device__ __forceinline__ void load_global_nc_b128(T *to, const void *from, bool inside = true) {
  u32 words[4];
  pack_words<16>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %5, 0;\n\t"
               "@inside ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4];\n\t"
               "}"
               : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3])
               : "l"(from), "r"(i32(inside)));
  unpack_words<16>(to, words);
}

//@ store_global_b8
template <typename T>
__device__ __forceinline__ void store_global_b8(void *to, const T *from, bool inside = true) {
  u32 words[1];
  pack_words<1>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.global.u8 [%0], %1;\n\t"
               "}"
               :
               : "l"(to), "r"(words[0]), "r"(i32(inside)));
}

//@ store_global_b16
template <typename T>
__device__ __forceinline__ void store_global_b16(void *to, const T *from, bool inside = true) {
  u32 words[1];
  pack_words<2>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.global.u16 [%0], %1;\n\t"
               "}"
               :
               : "l"(to), "r"(words[0]), "r"(i32(inside)));
}

//@ store_global_b32
template <typename T>
__device__ __forceinline__ void store_global_b32(void *to, const T *from, bool inside = true) {
  u32 words[1];
  pack_words<4>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.global.b32 [%0], %1;\n\t"
               "}"
               :
               : "l"(to), "r"(words[0]), "r"(i32(inside)));
}

// f32 as it is: taken as words, sums of a warpgroup would be moved while products are under way.
__device__ __forceinline__ void store_global_b32(void *to, const f32 *from, bool inside = true) {
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.global.b32 [%0], %1;\n\t"
               "}"
               :
               : "l"(to), "f"(*from), "r"(i32(inside)));
}

//@ store_global_b64
template <typename T>
__device__ __forceinline__ void store_global_b64(void *to, const T *from, bool inside = true) {
  u32 words[2];
  pack_words<8>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %3, 0;\n\t"
               "@inside st.global.v2.b32 [%0], {%1, %2};\n\t"
               "}"
               :
               : "l"(to), "r"(words[0]), "r"(words[1]), "r"(i32(inside)));
}

//@ store_global_b128
template <typename T>
__device__ __forceinline__ void store_global_b128(void *to, const T *from, bool inside = true) {
  u32 words[4];
  pack_words<16>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %5, 0;\n\t"
               "@inside st.global.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "}"
               :
               : "l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]),
                 "r"(i32(inside)));
}
