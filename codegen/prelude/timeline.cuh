// A timeline's stamps (support/Timeline.h). The clocks are volatile, and so stay in order with
// barriers and copies.

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

//@ write_edge
__device__ __forceinline__ void write_edge(i32 *to, i32 number, bool open) {
  const i64 timer = timer_now();
  const i32 clock = clock_now();
  write_stamp(to, number, clock, open);
  write_stamp(to + 2, i32(timer), i32(timer >> 32), open);
}

//@ Lane
// Threads that are not open write no stamps. The pointer moves, so it is in registers: in attention
// an address that begins with a load of a kernel's parameter made each store of a loading role cost
// the products 2 %. It moves whether or not there is room, and differs between threads: ptxas would
// put one that may stay, or that a whole warp has, into uniform registers, and copy it for each
// store.
struct Lane {
  i32 *next; // where the next record begins
  i32 room;  // a record may begin while this is above 0
  bool open; // writes, and has room
  bool writes;
};

//@ kLaneRoom
// Behind the edges, with two of the longest records left.
template <i32 capacity, i32 longest> constexpr i32 kLaneRoom = capacity - 4 - 2 * longest;

//@ start_lane
template <i32 capacity, i32 longest>
__device__ __forceinline__ Lane start_lane(i32 *events, i32 first, bool writes) {
  i32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  i32 *const edge = writes ? events + 2 * first : events;
  write_edge(edge, sm, writes);
  return {edge + 8, kLaneRoom<capacity, longest>, writes, writes};
}

//@ stamp
template <i32 place> __device__ __forceinline__ void stamp(const Lane &lane, i32 from) {
  write_stamp(lane.next + 2 * place, from, clock_now(), lane.open);
}
template <i32 place> __device__ __forceinline__ void stamp(const Lane &lane) {
  const i32 now = clock_now();
  write_stamp(lane.next + 2 * place, now, now, lane.open);
}

//@ stamped_wait
// A wait that is over at once leaves no stamp, and takes no longer for it.
template <i32 place>
__device__ __forceinline__ void stamped_wait(i32 barrier, i32 parity, const Lane &lane) {
  if (mbarrier_test_wait(barrier, parity))
    return;
  const i32 began = clock_now();
  mbarrier_wait(barrier, parity);
  stamp<place>(lane, began);
}

//@ stamp_run
// The head of a record. A lane without room closes: its first records are kept.
template <i32 takes> __device__ __forceinline__ void stamp_run(Lane &lane, i32 run) {
  write_head(lane.next, run, lane.open);
  lane.next += 2 * takes;
  lane.room -= takes;
  lane.open = lane.open && lane.room > 0;
}

//@ end_lane
// The number counts what a closed lane has not written, too.
template <i32 capacity, i32 longest> __device__ __forceinline__ void end_lane(const Lane &lane) {
  const i32 stamps = kLaneRoom<capacity, longest> - lane.room;
  write_edge(lane.next - 2 * stamps - 4, stamps, lane.writes);
}
