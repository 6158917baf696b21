// A timeline's records (support/Timeline.h). `cursor` is the number of the lane's next record,
// where a lane has `capacity` of them; it is 0 in threads that write none. The clocks are volatile,
// and so stay in order with barriers and copies.

//@ clock_now
// The low half of the SM's cycle counter.
__device__ __forceinline__ i32 clock_now() {
  i32 now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  return now;
}

//@ timer_now
// Nanoseconds, alike on all SMs.
__device__ __forceinline__ i64 timer_now() {
  i64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

//@ write_record
__device__ __forceinline__ void write_record(i32 *events, i32 place, i32 first, i32 second,
                                             i32 third, i32 fourth, bool open) {
  asm volatile("{\n\t"
               ".reg .pred open;\n\t"
               "setp.ne.b32 open, %5, 0;\n\t"
               "@open st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "}"
               :
               : "l"(events + 4 * place), "r"(first), "r"(second), "r"(third), "r"(fourth),
                 "r"(i32(open)));
}

//@ stamp
// At the end of a lane's records nothing happens: the first of them are kept.
template <i32 capacity>
__device__ __forceinline__ void stamp(i32 *events, i32 *cursor, i32 event, i32 from) {
  const bool open = (*cursor & (capacity - 1)) != 0;
  write_record(events, *cursor, event, from, clock_now(), 0, open);
  *cursor += open;
}
template <i32 capacity> __device__ __forceinline__ void stamp(i32 *events, i32 *cursor, i32 event) {
  stamp<capacity>(events, cursor, event, clock_now());
}

//@ stamp_first
template <i32 capacity>
__device__ __forceinline__ void stamp_first(i32 *events, const i32 *cursor) {
  i32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const i64 timer = timer_now();
  write_record(events, *cursor - 2, sm, clock_now(), i32(timer), i32(timer >> 32), *cursor != 0);
}

//@ stamp_last
template <i32 capacity> __device__ __forceinline__ void stamp_last(i32 *events, const i32 *cursor) {
  const i32 first = (*cursor - 1) & ~(capacity - 1);
  const i64 timer = timer_now();
  write_record(events, first + 1, *cursor - first - 2, clock_now(), i32(timer), i32(timer >> 32),
               *cursor != 0);
}
