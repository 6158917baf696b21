// Happens-before, without a kernel: what counts as in order, and what needs a proxy fence.
#include "simulator/machine/Shadow.h"
#include "simulator/Machine.h"

#include <gtest/gtest.h>

using namespace tilewright::simulator;
using namespace tilewright::simulator::machine;

namespace {

/// An agent with a clock of its own.
struct Actor {
  explicit Actor(AgentId agent, uint32_t cluster = 0) : agent(agent), cluster(cluster) {
    clock.raise(agent, 1);
  }

  Accessor access(Proxy proxy = Proxy::Generic, bool atomic = false) const {
    Accessor accessor{{clock.get(agent), agent, proxy, atomic}, &clock, &fenced, &told};
    accessor.access.cluster = cluster;
    return accessor;
  }
  /// This agent synchronises with `other`, which goes on to a later time.
  void acquire(Actor &other) {
    clock.join(other.clock);
    fenced.join(other.fenced);
    other.clock.raise(other.agent, other.clock.get(other.agent) + 1);
  }

  AgentId agent;
  uint32_t cluster;
  Clock clock, fenced;
  Tellings told;
};

TEST(Shadow, orders_accesses_by_clocks) {
  Shadow shadow(1);
  Actor a(0), b(1);
  EXPECT_FALSE(shadow.write(0, a.access()));
  EXPECT_TRUE(shadow.read(0, b.access()));
  b.acquire(a);
  EXPECT_FALSE(shadow.read(0, b.access()));
  // `a` does not know of the read.
  Conflict conflict = shadow.write(0, a.access());
  EXPECT_TRUE(conflict);
  EXPECT_FALSE(conflict.earlierWrites);
  EXPECT_EQ(conflict.earlier.agent, 1);
}

TEST(Shadow, keeps_every_reader_that_a_write_must_follow) {
  Shadow shadow(1);
  Actor a(0), b(1), c(2), writer(3);
  shadow.read(0, a.access());
  shadow.read(0, b.access());
  shadow.read(0, c.access());
  writer.acquire(a);
  writer.acquire(c);
  EXPECT_EQ(shadow.write(0, writer.access()).earlier.agent, 1);
}

TEST(Shadow, what_happens_after_a_synchronisation_is_not_covered_by_it) {
  Shadow shadow(1);
  Actor a(0), b(1);
  b.acquire(a);
  EXPECT_FALSE(shadow.write(0, a.access()));
  EXPECT_TRUE(shadow.read(0, b.access()));
}

TEST(Shadow, atomics_are_in_order_with_each_other_only) {
  Shadow shadow(1);
  Actor a(0), b(1);
  EXPECT_FALSE(shadow.write(0, a.access(Proxy::Generic, true)));
  EXPECT_FALSE(shadow.write(0, b.access(Proxy::Generic, true)));
  EXPECT_TRUE(shadow.read(0, a.access()));
}

TEST(Shadow, copies_of_the_same_bytes_do_not_conflict) {
  Shadow shadow(1);
  Actor a(0), b(1), c(2);
  Accessor first = a.access(), second = b.access(), other = c.access();
  first.access.source = second.access.source = 7;
  other.access.source = 9;
  EXPECT_FALSE(shadow.write(0, first));
  EXPECT_FALSE(shadow.write(0, second));
  EXPECT_TRUE(shadow.write(0, other));
}

TEST(Shadow, the_async_proxy_needs_a_fence_after_plain_writes) {
  Shadow shadow(1);
  Actor a(0), b(1);
  shadow.write(0, a.access());
  b.acquire(a);
  Conflict conflict = shadow.read(0, b.access(Proxy::Async));
  EXPECT_TRUE(conflict.fence);
  EXPECT_EQ(nameOf(FindingKind::MissingFence), "missing-fence");
  // A fence by the writer before it synchronises makes its writes visible to the async proxy.
  shadow.write(0, a.access());
  a.fenced = a.clock;
  b.acquire(a);
  EXPECT_FALSE(shadow.read(0, b.access(Proxy::Async)));
}

TEST(Shadow, clusters_know_of_each_other_what_they_were_told) {
  Shadow shadow(1);
  Actor writer(0, /*cluster=*/1), reader(0, /*cluster=*/2);
  constexpr AgentId kTaken = 1;
  EXPECT_FALSE(shadow.write(0, writer.access()));
  EXPECT_TRUE(shadow.read(0, reader.access()));
  reader.told.insert({writer.cluster, {kTaken, writer.clock}});
  EXPECT_TRUE(shadow.read(0, reader.access())) << "someone else of its cluster was told";
  reader.clock.raise(kTaken, 1);
  EXPECT_FALSE(shadow.read(0, reader.access()));
  // What comes later was not told, nor what a third cluster did.
  writer.clock.raise(writer.agent, 2);
  shadow.write(0, writer.access());
  EXPECT_TRUE(shadow.read(0, reader.access()));
  Shadow other(1);
  EXPECT_FALSE(other.write(0, Actor(0, /*cluster=*/3).access()));
  EXPECT_TRUE(other.read(0, reader.access()));
}

} // namespace
