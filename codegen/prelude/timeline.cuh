// A timeline's stamps (support/Timeline.h). `cursor` is the number of the stamp at which the lane's
// next record begins, where a lane has `capacity` of them; threads that are not `open` write none.
// The clocks are volatile, and so stay in order with barriers and copies.

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

//@ write_stamp
__device__ __forceinline__ void write_stamp(i32 *to, i32 begin, i32 end, bool open) {
  asm volatile("{\n\t"
               ".reg .pred open;\n\t"
               "setp.ne.b32 open, %3, 0;\n\t"
               "@open st.global.cs.v2.b32 [%0], {%1, %2};\n\t"
               "}"
               :
               : "l"(to), "r"(begin), "r"(end), "r"(i32(open)));
}

//@ write_head
__device__ __forceinline__ void write_head(i32 *to, i32 run, bool open) {
  asm volatile("{\n\t"
               ".reg .pred open;\n\t"
               "setp.ne.b32 open, %2, 0;\n\t"
               "@open st.global.cs.b32 [%0], %1;\n\t"
               "}"
               :
               : "l"(to), "r"(run), "r"(i32(open)));
}

//@ stamp
template <i32 place>
__device__ __forceinline__ void stamp(i32 *events, const i32 *cursor, bool open, i32 from) {
  write_stamp(events + 2 * *cursor + 2 * place, from, clock_now(), open);
}
template <i32 place>
__device__ __forceinline__ void stamp(i32 *events, const i32 *cursor, bool open) {
  const i32 now = clock_now();
  write_stamp(events + 2 * *cursor + 2 * place, now, now, open);
}

//@ stamped_wait
// A wait that is over at once leaves no stamp, and takes no longer for it.
template <i32 place>
__device__ __forceinline__ void stamped_wait(i32 barrier, i32 parity, i32 *events,
                                             const i32 *cursor, bool open) {
  if (mbarrier_test_wait(barrier, parity))
    return;
  const i32 began = clock_now();
  mbarrier_wait(barrier, parity);
  stamp<place>(events, cursor, open, began);
}

//@ stamp_run
// The head of a record. Where two records of the longest run would not fit behind it, the cursor
// stays: the first records of a lane are kept.
template <i32 capacity, i32 takes, i32 longest>
__device__ __forceinline__ void stamp_run(i32 *events, i32 *cursor, bool open, i32 run) {
  write_head(events + 2 * *cursor, run, open);
  if ((*cursor & (capacity - 1)) < capacity - 2 * longest)
    *cursor += takes;
}

//@ write_edge
__device__ __forceinline__ void write_edge(i32 *to, i32 number, bool open) {
  const i64 timer = timer_now();
  const i32 clock = clock_now();
  write_stamp(to, number, clock, open);
  write_stamp(to + 2, i32(timer), i32(timer >> 32), open);
}

//@ stamp_first
template <i32 capacity>
__device__ __forceinline__ void stamp_first(i32 *events, const i32 *cursor, bool open) {
  i32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  write_edge(events + 2 * (*cursor & ~(capacity - 1)), sm, open);
}

//@ stamp_last
template <i32 capacity>
__device__ __forceinline__ void stamp_last(i32 *events, const i32 *cursor, bool open) {
  const i32 first = *cursor & ~(capacity - 1);
  write_edge(events + 2 * first + 4, *cursor - first - 4, open);
}
