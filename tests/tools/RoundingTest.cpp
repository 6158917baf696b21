// A comparison tells rounding from error by what the program makes of its roundings.
#include "tools/driver/HostTensor.h"
#include "tools/driver/Interpret.h"

#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using runtime::ElementType;
using runtime::TensorRef;

/// Linear attention: the state is rounded to bf16 after each of S steps, and goes on from there.
constexpr const char *kText = R"(
@kernel
def linear_attention(q: Tensor[bf16, S, D], k: Tensor[bf16, S, D], v: Tensor[bf16, S, D],
                     o: Tensor[bf16, S, D], *, SPLIT: const[bool] = False):
    i = grid(1)
    state = zeros((D, D), bf16)
    for s in range(S):
        row = block(s, 1)
        kv = dot(k[row, :].T, v[row, :])
        before = state.to(f32)
        if SPLIT:
            state = (before + (kv - before * 0.001)).to(bf16)
        else:
            state = (before * 0.999 + kv).to(bf16)
        o[row, :] = dot(q[row, :], state)
)";

class Rounding : public testing::Test {
protected:
  static constexpr int64_t kSteps = 4096, kSize = 32;

  Rounding() {
    for (HostTensor &input : inputs) {
      input = HostTensor(ElementType::BF16, {kSteps, kSize});
      input.randomize(uint64_t(&input - inputs));
    }
    frontend::Captured captured;
    captured.dims = {"S", "D"};
    ErrorOr<KernelTextPtr> loaded = loadKernelText(kText, "steps.py", "linear_attention", captured);
    EXPECT_TRUE(loaded) << loaded.error().message;
    text = *loaded;
  }

  /// The results; `split` computes the same in another order.
  HostTensor run(uint64_t perturbation, bool split = false) {
    HostTensor o(ElementType::BF16, {kSteps, kSize});
    Status status = interpretInto(o, perturbation, split);
    EXPECT_TRUE(status) << status.error().message;
    return o;
  }

  HostTensor inputs[3];
  KernelTextPtr text;

private:
  Status interpretInto(HostTensor &o, uint64_t perturbation, bool split) {
    int64_t shape[] = {kSteps, kSize}, strides[] = {kSize, 1};
    std::vector<runtime::Argument> arguments;
    for (HostTensor *tensor : {&inputs[0], &inputs[1], &inputs[2], &o})
      arguments.push_back(TensorRef{tensor->bytes.data(), tensor->type, 2, shape, strides, -1});
    TILEWRIGHT_ASSIGN(Call call, arrange(text->signature(), arguments));
    TILEWRIGHT_ASSIGN(frontend::Specialisation bound,
                      specialise(text->signature(), call, {{"SPLIT", split}}));
    TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, bound));
    simulator::Options options;
    options.perturbation = perturbation;
    TILEWRIGHT_TRY(interpret(module, call, options));
    return {};
  }
};

TEST_F(Rounding, of_a_state_that_is_fed_back_is_no_error) {
  HostTensor expected = run(0), one = run(1), two = run(2), found = run(3);
  EXPECT_FALSE(compare(found, expected).ok()) << "4096 roundings are more than one";
  Comparison result = compare(found, expected, {&one, &two});
  EXPECT_TRUE(result.ok()) << result.mismatches << " of " << found.size();
  EXPECT_LT(result.spread, 0.2);
  EXPECT_TRUE(compare(run(0, /*split=*/true), expected, {&one, &two}).ok());
}

TEST_F(Rounding, does_not_hide_a_wrong_element) {
  HostTensor expected = run(0), one = run(1), two = run(2), found = run(3);
  int64_t at = expected.size() / 2;
  double squares = 0;
  for (int64_t i = 0; i < expected.size(); ++i)
    squares += expected.value(i) * expected.value(i);
  found.set(at, found.value(at) + 0.5 * std::sqrt(squares / double(expected.size())));
  Comparison result = compare(found, expected, {&one, &two});
  EXPECT_EQ(result.mismatches, 1);
  EXPECT_EQ(result.first, at);
}

TEST_F(Rounding, of_what_is_exact_changes_nothing) {
  for (HostTensor &input : inputs)
    for (int64_t i = 0; i < input.size(); ++i)
      input.set(i, double(i % 7 == 0));
  // Sums of a few ones: every step is exact, or far from a tie.
  EXPECT_TRUE(compare(run(1), run(0)).ok());
}

TEST_F(Rounding, of_equal_seeds_is_equal) { EXPECT_EQ(run(5).bytes, run(5).bytes); }

} // namespace
} // namespace tilewright::driver
