// The programs of this folder as someone might change them: each either is refused with a line and
// a reason, or it is compiled, and then it ends, in the simulator, with the right numbers.
//
// A test takes one edit in eleven, and compiles a quarter of those that are lowered. All of them:
//   hopper_tests --gtest_also_run_disabled_tests --gtest_filter='*Edits*'
#include "runtime/Compile.h"
#include "tests/hopper/Attention.h"
#include "tests/hopper/ProgramRun.h"
#include "tools/driver/Acceptance.h"
#include "tools/fuzz/Edits.h"

#include <gtest/gtest.h>
#include <regex>

using namespace tilewright;
using namespace tilewright::hopper;
using fuzz::Edit;

namespace {

/// Runs a program on small operands; a test failure unless it is clean and right.
using Check = std::function<void(const std::string &text, Program program,
                                 const std::vector<runtime::LaunchCheck> &asserts)>;

/// Whether a launch with these numbers would be let through.
bool hold(const std::vector<runtime::LaunchCheck> &asserts,
          const llvm::StringMap<simulator::MachineArgument> &numbers) {
  return llvm::all_of(asserts, [&](const runtime::LaunchCheck &check) {
    auto held = check.condition.eval([&](std::string_view name) -> std::optional<int64_t> {
      return std::get<int64_t>(numbers.lookup(llvm::StringRef(name)));
    });
    return held && *held != 0;
  });
}

int64_t numberBehind(const std::string &text, const std::string &words, int64_t otherwise) {
  size_t at = text.find(words);
  return at == text.npos ? otherwise : std::stoll(text.substr(at + words.size()));
}

Check checkOf(const MatrixProgram &matrix) {
  return [matrix](const std::string &text, Program program,
                  const std::vector<runtime::LaunchCheck> &asserts) {
    ProgramRun run(std::move(program));
    auto expected = matrix.fill(run, 150, 304, 208);
    int64_t blocks = numberBehind(text, "%steps least ", 0) ? 3 : 2; // of 4 tiles, one is left over
    if (hold(asserts, run.numbers))
      run.expect(blocks * numberBehind(text, "cta.cluster = array<i64: ", 1), expected, matrix.adds,
                 /*random=*/1);
  };
}

Check checkOf(const AttentionProgram &attention) {
  return [attention](const std::string &text, Program program, const auto &) {
    int64_t D = numberBehind(text, R"(tile.dims = ["B", "S", "H", ")", attention.D);
    AttentionSizes sizes{1, 150, 328, 2, 1, D, attention.causal, /*scale=*/2};
    AttentionRun run(std::move(program), sizes);
    run.grid = 2;
    for (const simulator::MachineOptions &options : schedules(0)) {
      std::string messages;
      EXPECT_EQ(run.simulate(options, &messages), "") << messages;
      run.expectResults();
    }
  };
}

/// What ptxas says against it; with a line, if anything.
std::string refusedByPtxas(const driver::Lowered &lowered) {
  auto compiled = runtime::compileKernel(lowered.source, {.useCache = false});
  if (!compiled)
    return compiled.error().message;
  Status kept = driver::checkNotes(lowered.source, lowered.outline, compiled->performanceNotes);
  if (kept)
    kept = driver::checkLocalMemory(lowered.source, lowered.outline, *compiled);
  return kept ? "" : kept.error().message;
}

/// Of the edits every n-th is tried, and of the programs that they give every n-th is compiled.
struct Sampling {
  size_t tryEvery, compileEvery;
};

void expectEdits(const std::string &text, const Check &check, Sampling sampling) {
  std::vector<Edit> edits = fuzz::editsOf(text);
  const std::regex hasPlace(R"(program\.mlir:\d+)");
  size_t lowered = 0;
  auto attempt = [&](const Edit &edit) {
    SCOPED_TRACE(edit.what);
    ErrorOr<driver::Lowered> program = lowerCta(edit.text);
    if (!program) {
      EXPECT_TRUE(std::regex_search(program.error().message, hasPlace)) << program.error().message;
      return;
    }
    if (lowered++ % sampling.compileEvery == 0)
      if (std::string refusal = refusedByPtxas(*program); !refusal.empty()) {
        EXPECT_TRUE(std::regex_search(refusal, hasPlace)) << refusal;
        return;
      }
    auto [context, module] = std::move(program->module).take();
    check(edit.text, {std::move(context), std::move(module)}, program->source.checks);
  };
  for (size_t i = sampling.tryEvery / 3; i < edits.size(); i += sampling.tryEvery)
    attempt(edits[i]);
  // A sample of which all are refused says little: then on to the first that is not.
  for (size_t i = 0; lowered == 0 && i < edits.size(); ++i)
    attempt(edits[i]);
  EXPECT_GT(lowered, 0u) << "of " << edits.size() << " edits";
}

class MatrixEdits : public testing::TestWithParam<MatrixProgram> {
protected:
  void run(Sampling sampling) {
    expectEdits(textOf(GetParam().file), checkOf(GetParam()), sampling);
  }
};
class AttentionEdits : public testing::TestWithParam<AttentionProgram> {
protected:
  void run(Sampling sampling) {
    expectEdits(textOf(GetParam().file), checkOf(GetParam()), sampling);
  }
};

constexpr Sampling kSome{11, 4}, kAll{1, 1};

TEST_P(MatrixEdits, are_refused_or_right) { run(kSome); }
TEST_P(AttentionEdits, are_refused_or_right) { run(kSome); }
TEST(TurnEdits, are_refused_or_right) {
  expectEdits(attentionByTurns(), checkOf(kAttentionPrograms[0]), kSome);
}
// All edits take ten minutes; scripts/nightly.sh tries them.
TEST_P(MatrixEdits, DISABLED_all_are_refused_or_right) { run(kAll); }
TEST_P(AttentionEdits, DISABLED_all_are_refused_or_right) { run(kAll); }

std::string nameOf(const std::string &file) { return file.substr(0, file.find('.')); }
INSTANTIATE_TEST_SUITE_P(Programs, MatrixEdits, testing::ValuesIn(kMatrixPrograms),
                         [](const auto &info) { return nameOf(info.param.file); });
INSTANTIATE_TEST_SUITE_P(Programs, AttentionEdits, testing::ValuesIn(kAttentionPrograms),
                         [](const auto &info) { return nameOf(info.param.file); });

} // namespace
