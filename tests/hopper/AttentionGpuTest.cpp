// Runs the attention programs through the runtime and compares with softmax on the CPU.
#include "runtime/Kernel.h"
#include "tests/hopper/Attention.h"
#include "tests/hopper/DeviceMatrix.h"

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::hopper;

namespace {

class Attention : public HopperGpu, public testing::WithParamInterface<AttentionProgram> {
protected:
  void run(const AttentionSizes &sizes) {
    DeviceMatrix q(*driver, ElementType::BF16, sizes.queries());
    DeviceMatrix k(*driver, ElementType::BF16, sizes.keys());
    DeviceMatrix v(*driver, ElementType::BF16, sizes.keys());
    DeviceMatrix o(*driver, ElementType::BF16, sizes.queries());
    DeviceMatrix lse(*driver, ElementType::F32, sizes.rows());
    q.fill(1);
    k.fill(2);
    v.fill(3);
    ASSERT_OK(o.buffer.fill(0xff));
    ASSERT_OK(lse.buffer.fill(0xff));
    ErrorOr<Kernel> kernel = Kernel::build(programSource(GetParam().file), {.useCache = false});
    ASSERT_TRUE(kernel) << kernel.error().message;
    ASSERT_OK(kernel->launch(
        nullptr, {{q.ref(), k.ref(), v.ref(), o.ref(), lse.ref(), double(sizes.scale)}}));
    o.fetch();
    lse.fetch();
    auto numbers = [](const DeviceMatrix &matrix) {
      return [&matrix](int64_t row, int64_t column) { return matrix.at(row, column); };
    };
    expectAttention(sizes, numbers(q), numbers(k), numbers(v), numbers(o), numbers(lse));
  }
};

TEST_P(Attention, equals_softmax_on_the_cpu) {
  auto [file, D, causal] = GetParam();
  for (AttentionSizes sizes : {AttentionSizes{1, 128, 128, 1, 1, D},
                               {1, 1, 1, 1, 1, D},
                               {2, 200, 328, 3, 1, D},
                               {2, 512, 512, 4, 2, D},
                               {1, 700, 333, 2, 2, D},
                               {20, 130, 90, 9, 3, D}}) {
    SCOPED_TRACE(testing::Message() << "S " << sizes.S << ", T " << sizes.T);
    sizes.causal = causal;
    run(sizes);
    sizes.scale = 2; // peaks rise by much
    run(sizes);
  }
}

// Small enough for compute-sanitizer: several tiles for the one block of each head, none whole.
TEST_P(Attention, equals_softmax_on_a_small_size) {
  auto [file, D, causal] = GetParam();
  run({1, 200, 264, 2, 1, D, causal});
}

INSTANTIATE_TEST_SUITE_P(Programs, Attention, testing::ValuesIn(kAttentionPrograms),
                         [](const auto &info) { return info.param.name(); });

} // namespace
