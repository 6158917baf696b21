// Warp-wide instructions. Matrix products are plain functions of registers, free to move; loads of
// matrices keep their order with barriers and with other accesses to shared memory.

//@ ldmatrix_x1
template <typename T> __device__ __forceinline__ void ldmatrix_x1(T *to, i32 from) {
  u32 words[1];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(words[0]) : "r"(from));
  unpack_words<4>(to, words);
}

//@ ldmatrix_x1_trans
template <typename T> __device__ __forceinline__ void ldmatrix_x1_trans(T *to, i32 from) {
  u32 words[1];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(words[0])
               : "r"(from));
  unpack_words<4>(to, words);
}

//@ ldmatrix_x2
template <typename T> __device__ __forceinline__ void ldmatrix_x2(T *to, i32 from) {
  u32 words[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(words[0]), "=r"(words[1])
               : "r"(from));
  unpack_words<8>(to, words);
}

//@ ldmatrix_x2_trans
template <typename T> __device__ __forceinline__ void ldmatrix_x2_trans(T *to, i32 from) {
  u32 words[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(words[0]), "=r"(words[1])
               : "r"(from));
  unpack_words<8>(to, words);
}

//@ ldmatrix_x4
template <typename T> __device__ __forceinline__ void ldmatrix_x4(T *to, i32 from) {
  u32 words[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from));
  unpack_words<16>(to, words);
}

//@ ldmatrix_x4_trans
template <typename T> __device__ __forceinline__ void ldmatrix_x4_trans(T *to, i32 from) {
  u32 words[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from));
  unpack_words<16>(to, words);
}

//@ stmatrix_x1
template <typename T> __device__ __forceinline__ void stmatrix_x1(i32 to, const T *from) {
  u32 words[1];
  pack_words<4>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" : : "r"(to), "r"(words[0]));
}

//@ stmatrix_x1_trans
template <typename T> __device__ __forceinline__ void stmatrix_x1_trans(i32 to, const T *from) {
  u32 words[1];
  pack_words<4>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};"
               :
               : "r"(to), "r"(words[0]));
}

//@ stmatrix_x2
template <typename T> __device__ __forceinline__ void stmatrix_x2(i32 to, const T *from) {
  u32 words[2];
  pack_words<8>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]));
}

//@ stmatrix_x2_trans
template <typename T> __device__ __forceinline__ void stmatrix_x2_trans(i32 to, const T *from) {
  u32 words[2];
  pack_words<8>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]));
}

//@ stmatrix_x4
template <typename T> __device__ __forceinline__ void stmatrix_x4(i32 to, const T *from) {
  u32 words[4];
  pack_words<16>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]));
}

//@ stmatrix_x4_trans
template <typename T> __device__ __forceinline__ void stmatrix_x4_trans(i32 to, const T *from) {
  u32 words[4];
  pack_words<16>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]));
}

//@ shuffle_xor
// The value of lane `lane ^ lanes`.
template <typename T> __device__ __forceinline__ T shuffle_xor(T value, i32 lanes) {
  return __shfl_xor_sync(0xffffffff, value, lanes);
}

//@ shuffle_up
// The value of lane `lane - lanes`; the own value in the first lanes.
template <typename T> __device__ __forceinline__ T shuffle_up(T value, i32 lanes) {
  return __shfl_up_sync(0xffffffff, value, lanes);
}

//@ shuffle_idx
// The value of lane `lanes`.
template <typename T> __device__ __forceinline__ T shuffle_idx(T value, i32 lanes) {
  return __shfl_sync(0xffffffff, value, lanes);
}

//@ vote_any
// Whether it is true in any lane.
__device__ __forceinline__ bool vote_any(bool predicate) {
  return __any_sync(0xffffffff, predicate);
}
