// Shared memory, by its 32-bit addresses; see global.cuh.

//@ load_shared_b8
template <typename T> __device__ __forceinline__ void load_shared_b8(T *to, i32 from) {
  u32 words[1];
  asm volatile("ld.shared.u8 %0, [%1];" : "=r"(words[0]) : "r"(from));
  unpack_words<1>(to, words);
}

//@ load_shared_b16
template <typename T> __device__ __forceinline__ void load_shared_b16(T *to, i32 from) {
  u32 words[1];
  asm volatile("ld.shared.u16 %0, [%1];" : "=r"(words[0]) : "r"(from));
  unpack_words<2>(to, words);
}

//@ load_shared_b32
template <typename T> __device__ __forceinline__ void load_shared_b32(T *to, i32 from) {
  u32 words[1];
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(words[0]) : "r"(from));
  unpack_words<4>(to, words);
}

//@ load_shared_b64
template <typename T> __device__ __forceinline__ void load_shared_b64(T *to, i32 from) {
  u32 words[2];
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(words[0]), "=r"(words[1]) : "r"(from));
  unpack_words<8>(to, words);
}

//@ load_shared_b128
template <typename T> __device__ __forceinline__ void load_shared_b128(T *to, i32 from) {
  u32 words[4];
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from));
  unpack_words<16>(to, words);
}

//@ store_shared_b8
template <typename T>
__device__ __forceinline__ void store_shared_b8(i32 to, const T *from, bool inside = true) {
  u32 words[1];
  pack_words<1>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.shared.u8 [%0], %1;\n\t"
               "}"
               :
               : "r"(to), "r"(words[0]), "r"(i32(inside)));
}

//@ store_shared_b16
template <typename T>
__device__ __forceinline__ void store_shared_b16(i32 to, const T *from, bool inside = true) {
  u32 words[1];
  pack_words<2>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.shared.u16 [%0], %1;\n\t"
               "}"
               :
               : "r"(to), "r"(words[0]), "r"(i32(inside)));
}

//@ store_shared_b32
template <typename T>
__device__ __forceinline__ void store_shared_b32(i32 to, const T *from, bool inside = true) {
  u32 words[1];
  pack_words<4>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.shared.b32 [%0], %1;\n\t"
               "}"
               :
               : "r"(to), "r"(words[0]), "r"(i32(inside)));
}
// f32 as it is: taken as words, sums of a warpgroup would be moved while products are under way.
__device__ __forceinline__ void store_shared_b32(i32 to, const f32 *from, bool inside = true) {
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.shared.b32 [%0], %1;\n\t"
               "}"
               :
               : "r"(to), "f"(*from), "r"(i32(inside)));
}

//@ store_shared_b64
template <typename T>
__device__ __forceinline__ void store_shared_b64(i32 to, const T *from, bool inside = true) {
  u32 words[2];
  pack_words<8>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %3, 0;\n\t"
               "@inside st.shared.v2.b32 [%0], {%1, %2};\n\t"
               "}"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(i32(inside)));
}
// f32 as it is: taken as words, sums of a warpgroup would be moved while products are under way.
__device__ __forceinline__ void store_shared_b64(i32 to, const f32 *from, bool inside = true) {
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %3, 0;\n\t"
               "@inside st.shared.v2.b32 [%0], {%1, %2};\n\t"
               "}"
               :
               : "r"(to), "f"(from[0]), "f"(from[1]), "r"(i32(inside)));
}

//@ store_shared_b128
template <typename T>
__device__ __forceinline__ void store_shared_b128(i32 to, const T *from, bool inside = true) {
  u32 words[4];
  pack_words<16>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %5, 0;\n\t"
               "@inside st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "}"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]),
                 "r"(i32(inside)));
}
// f32 as it is: taken as words, sums of a warpgroup would be moved while products are under way.
__device__ __forceinline__ void store_shared_b128(i32 to, const f32 *from, bool inside = true) {
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %5, 0;\n\t"
               "@inside st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "}"
               :
               : "r"(to), "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3]), "r"(i32(inside)));
}
