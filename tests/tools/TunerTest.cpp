// The tuner with a stand-in for the GPU, and what a launch makes of its results.
#include "tools/driver/Tuner.h"

#include "support/Files.h"
#include "tests/tools/HostArguments.h"
#include "tools/driver/GivenPlan.h"
#include "tools/driver/NumberSearch.h"
#include "tools/driver/Plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace tilewright::driver {
namespace {

namespace fs = std::filesystem;
using runtime::ElementType;
using testing::HasSubstr;

/// A product on the host, as a launch sees it.
struct Product {
  explicit Product(KernelTextPtr kernel, int64_t m = 4096, int64_t n = 4096, int64_t k = 4096)
      : text(std::move(kernel)), arguments(ElementType::BF16, {{m, k}, {n, k}, {m, n}}),
        call(*arrange(text->signature(), arguments.list)),
        wanted(*attemptOf(*text, {.target = "sm_90"}, call, {})) {}

  KernelTextPtr text;
  HostArguments arguments;
  Call call;
  Attempt wanted;
};

KernelTextPtr matmul() {
  static KernelTextPtr text = *loadKernel("matmul_nt");
  return text;
}

/// The built-in kernel with some words replaced.
KernelTextPtr edited(const std::string &from, const std::string &to) {
  std::string text = matmul()->text;
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return *loadKernelText(text, "edited.py", "matmul_nt");
}

/// Gives these times; 0 is wrong.
Measurer timesAre(std::vector<double> times) {
  return [=](const std::vector<const runtime::Kernel *> &kernels, const Call &, int,
             const Progress &) -> ErrorOr<std::vector<Outcome>> {
    std::vector<Outcome> outcomes(kernels.size());
    for (size_t i = 0; i < kernels.size(); ++i)
      if (double time = i < times.size() ? times[i] : 100)
        outcomes[i].microseconds = time;
      else
        outcomes[i].dropped = "its `c` differs";
    return outcomes;
  };
}

class TunerTest : public testing::Test {
protected:
  void SetUp() override {
    if (!runtime::Nvrtc::get())
      GTEST_SKIP() << "no NVRTC";
    std::string pattern = testing::TempDir() + "tilewright-tuner-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override {
    if (!folder.empty())
      fs::remove_all(folder);
  }

  ErrorOr<TunedPlan> tuned(const Product &product, std::vector<double> times, size_t count = 2) {
    return tune(product.text, product.wanted, product.call, -1, memo,
                {.count = count, .measurer = timesAre(std::move(times))});
  }

  std::string folder;
  Memo memo;
};

TEST(RoundedSize, is_the_nearest_power_of_two) {
  for (auto [size, rounded] : {std::pair(0, 0),
                               {1, 1},
                               {2, 2},
                               {3, 4},
                               {5, 4},
                               {6, 8},
                               {5120, 4096},
                               {6000, 8192},
                               {14336, 16384}})
    EXPECT_EQ(roundedSize(size), rounded) << size;
}

TEST(LaunchClass, has_what_plans_depend_on) {
  Product product(matmul(), 8192, 4096, 14336);
  LaunchClass launch = LaunchClass::of(*product.text, product.wanted, product.call);
  EXPECT_EQ(launch.kernel, "matmul_nt");
  EXPECT_EQ(launch.target, "sm_90");
  EXPECT_EQ(launch.text.size(), 32u);
  EXPECT_EQ(launch.launch, "E=bf16 O=bf16; a 16, b 16, c 16; K~16384 M~8192 N~4096");
  EXPECT_EQ(launch.sizes, (std::map<std::string, int64_t>{{"K", 14336}, {"M", 8192}, {"N", 4096}}));
  Product odd(matmul(), 8192, 4096, 14337);
  EXPECT_THAT(LaunchClass::of(*odd.text, odd.wanted, odd.call).launch, HasSubstr("a 2, b 2, c 16"));
}

TEST(LaunchClass, does_not_know_where_a_text_lies) {
  KernelTextPtr moved = *loadKernelText(matmul()->text, "elsewhere.py", "matmul_nt");
  EXPECT_EQ(moved->contents, matmul()->contents);
  EXPECT_NE(moved->hash, matmul()->hash);
  EXPECT_NE(edited("rows", "row")->contents, matmul()->contents);
}

TEST_F(TunerTest, takes_the_fastest) {
  Product product(matmul());
  ErrorOr<TunedPlan> result = tuned(product, {30, 20, 10});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->microseconds, 10);
  EXPECT_THAT(result->plan, HasSubstr("plan 1 of matmul_nt for sm_90, facts "));
  ASSERT_FALSE(result->facts.empty());
  EXPECT_THAT(result->facts.front(), HasSubstr("s1  loads"));
  ASSERT_EQ(result->rivals.size(), 3u);
  EXPECT_EQ(result->rivals[0].plan, "the choice of the passes");
  EXPECT_EQ(result->rivals[1].microseconds, 20);
}

TEST_F(TunerTest, may_find_that_no_plan_is_best) {
  Product product(matmul());
  ErrorOr<TunedPlan> result = tuned(product, {5, 20, 10});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->plan, "");
  EXPECT_EQ(result->microseconds, 5);
}

TEST_F(TunerTest, drops_what_is_wrong) {
  Product product(matmul());
  ErrorOr<TunedPlan> result = tuned(product, {30, 20, 0});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->microseconds, 20);
  EXPECT_EQ(result->rivals[2].dropped, "its `c` differs");
  ErrorOr<TunedPlan> none = tuned(product, {0, 0, 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "none of 3 plans of kernel `matmul_nt` is right: its `c` differs");
}

TEST_F(TunerTest, needs_something_to_choose_from) {
  Product product(matmul());
  product.wanted.config.warps = 8;
  ErrorOr<TunedPlan> result = tuned(product, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "there is nothing to tune for kernel `matmul_nt`: its warps, "
                                    "stages, blocks or text are stated");
}

//===- Without plans --------------------------------------------------------------------------===//

/// Rows on the host, as a launch sees them.
struct Rows {
  explicit Rows(int64_t m, int64_t d, const std::string &target = "sm_90")
      : text(*loadKernel("softmax")), arguments(ElementType::BF16, {{m, d}, {m, d}}),
        call(*arrange(text->signature(), arguments.list)),
        wanted(*attemptOf(*text, {.target = target}, call, {})) {}

  KernelTextPtr text;
  HostArguments arguments;
  Call call;
  Attempt wanted;
};

/// Gives a time that follows from the threads of a block.
Measurer timesFollowThreads(std::function<double(int64_t)> time) {
  return [=](const std::vector<const runtime::Kernel *> &kernels, const Call &, int,
             const Progress &) -> ErrorOr<std::vector<Outcome>> {
    std::vector<Outcome> outcomes;
    for (const runtime::Kernel *kernel : kernels)
      outcomes.push_back({time(kernel->source().threads), ""});
    return outcomes;
  };
}

std::vector<Numbers> neighboursOf(const Rows &rows, Memo &memo) {
  Memo::Result compiled = memo.get(rows.text, rows.wanted);
  EXPECT_TRUE(*compiled);
  return *neighbours(rows.text, **compiled);
}

TEST_F(TunerTest, neighbours_differ_in_one_number) {
  Rows rows(4096, 1024);
  Numbers from = numbersOf(*rows.text, **memo.get(rows.text, rows.wanted));
  EXPECT_EQ(from.tiles.at("BR"), 2);
  std::vector<Numbers> found = neighboursOf(rows, memo);
  EXPECT_THAT(found, testing::SizeIs(6));
  for (const Numbers &numbers : found)
    EXPECT_EQ((numbers.tiles != from.tiles) + (numbers.warps != from.warps) +
                  (numbers.minBlocks != from.minBlocks) + (numbers.cluster != from.cluster),
              1)
        << numbers.str();
  auto has = [&](auto is) { return std::ranges::any_of(found, is); };
  EXPECT_TRUE(has([](const Numbers &numbers) { return numbers.tiles.at("BR") == 1; }));
  EXPECT_TRUE(has([](const Numbers &numbers) { return numbers.tiles.at("BR") == 4; }));
  EXPECT_TRUE(has([&](const Numbers &numbers) { return numbers.warps == 2 * from.warps; }));
  EXPECT_TRUE(has([](const Numbers &numbers) { return numbers.cluster == 2; }));
}

TEST_F(TunerTest, neighbours_keep_what_is_stated_and_what_a_gpu_lacks) {
  Rows rows(4096, 1024, "sm_80");
  rows.wanted.specialisation.consts["BR"] = int64_t(2);
  for (const Numbers &numbers : neighboursOf(rows, memo)) {
    EXPECT_EQ(numbers.tiles.at("BR"), 2);
    EXPECT_EQ(numbers.cluster, 1); // no clusters there
  }
}

TEST_F(TunerTest, without_plans_it_walks_to_faster_numbers) {
  Rows rows(4096, 1024);
  Memo::Result usual = memo.get(rows.text, rows.wanted);
  ASSERT_TRUE(*usual);
  int64_t threads = (*usual)->kernel.source().threads;
  // The fastest has four times as many threads, which takes two steps.
  auto time = [=](int64_t count) {
    return 100 + 20 * std::abs(std::log2(double(count) / (4 * threads)));
  };
  ErrorOr<TunedPlan> result =
      tune(rows.text, rows.wanted, rows.call, -1, memo, {.measurer = timesFollowThreads(time)});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->plan, "");
  EXPECT_EQ(result->numbers.warps, 4 * threads / 32);
  EXPECT_EQ(result->microseconds, 100);
  EXPECT_EQ(result->rivals.front().plan, "the choice of the passes");
  EXPECT_THAT(result->rivals.back().plan, HasSubstr("warps = "));
  // A launch of these sizes takes them, from a file too; so does one with other rows.
  TunedPlans plans;
  std::string path = folder + "/tuned.json";
  ASSERT_TRUE(saveTuned(*result, path));
  ASSERT_TRUE(plans.read(*readFile(path), path));
  ASSERT_TRUE(plans.find(result->launch));
  EXPECT_EQ(plans.find(result->launch)->numbers, result->numbers);
  ASSERT_TRUE(loadTuned(path));
  for (int64_t m : {4096, 3500}) {
    Rows other(m, 1024);
    Plans launches(other.text, other.wanted);
    ErrorOr<Memo::Result> found = launches.find(other.call, -1, memo);
    ASSERT_TRUE(found && **found);
    EXPECT_EQ((**found)->attempt.config.warps, 4 * threads / 32) << m;
  }
  Rows wider(4096, 2048);
  Plans others(wider.text, wider.wanted);
  ErrorOr<Memo::Result> found = others.find(wider.call, -1, memo);
  ASSERT_TRUE(found && **found);
  EXPECT_EQ((**found)->attempt.config.warps, 0);
}

TEST_F(TunerTest, without_plans_the_choice_of_the_passes_may_be_best) {
  Rows rows(4096, 512, "sm_75");
  bool isFirst = true;
  auto time = [&](int64_t) { return std::exchange(isFirst, false) ? 1.0 : 2.0; };
  ErrorOr<TunedPlan> result =
      tune(rows.text, rows.wanted, rows.call, -1, memo, {.measurer = timesFollowThreads(time)});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->numbers.empty());
  EXPECT_EQ(result->plan, "");
}

TEST_F(TunerTest, products_without_plans_have_stages) {
  Product product(matmul());
  product.wanted.config.target = "sm_80";
  Memo::Result compiled = memo.get(product.text, product.wanted);
  ASSERT_TRUE(*compiled);
  std::vector<Numbers> found = *neighbours(product.text, **compiled);
  EXPECT_TRUE(std::ranges::any_of(found, [](const Numbers &each) { return each.stages == 4; }));
  for (const Numbers &numbers : found)
    EXPECT_EQ(numbers.minBlocks, 0);
}

TEST_F(TunerTest, gives_the_measuring_process_all_that_it_needs) {
  Product product(matmul());
  std::string seen;
  auto look = [&](const std::vector<const runtime::Kernel *> &kernels, const Call &call, int,
                  const Progress &) -> ErrorOr<std::vector<Outcome>> {
    TILEWRIGHT_ASSIGN(seen, packContest(kernels, call, 0));
    return std::vector<Outcome>(kernels.size(), {1, ""});
  };
  ErrorOr<TunedPlan> result =
      tune(product.text, product.wanted, product.call, -1, memo, {.count = 1, .measurer = look});
  ASSERT_TRUE(result) << result.error().message;
  ErrorOr<runtime::Archive> file = runtime::Archive::unpack(seen);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file->find("count"), "2");
  for (const char *item : {"0/source", "1/cubin", "call"})
    EXPECT_TRUE(file->find(item)) << item;
  EXPECT_THAT(*file->find("call"), HasSubstr("\"shape\":[4096,4096]"));
}

//===- Files ----------------------------------------------------------------------------------===//

TEST_F(TunerTest, reads_back_what_it_wrote) {
  Product product(matmul()), wide(matmul(), 4096, 8192, 4096);
  std::string path = folder + "/new/tuned.json";
  ErrorOr<TunedPlan> first = tuned(product, {30, 10.25, 0}), second = tuned(wide, {1});
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(saveTuned(*first, path));
  ASSERT_TRUE(saveTuned(*second, path));
  ASSERT_TRUE(saveTuned(*first, path)); // in place of itself
  TunedPlans plans;
  ASSERT_TRUE(plans.read(*readFile(path), path));
  EXPECT_EQ(plans.size(), 2u);
  TunedPlans::Entry found = plans.find(first->launch);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->plan, first->plan);
  EXPECT_EQ(found->facts, first->facts);
  EXPECT_EQ(found->microseconds, 10.25);
  EXPECT_EQ(found->rivals[2].dropped, "its `c` differs");
  EXPECT_EQ(plans.find(second->launch)->plan, "");
  EXPECT_EQ(plans.json(), *readFile(path));
}

TEST(TunedPlans, says_what_is_wrong_with_a_file) {
  auto problem = [](const std::string &text) {
    Status read = TunedPlans().read(text, "t.json");
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(problem("{"), HasSubstr("t.json: "));
  EXPECT_EQ(problem("[]"), "t.json: is no file of tuned plans: it needs `version` and `results`");
  EXPECT_EQ(problem(R"({"version": 2, "results": []})"),
            "t.json: has version 2 of the format, and 1 is read: tune anew");
  EXPECT_EQ(problem(R"({"version": 1, "results": [7]})"),
            "t.json: result 1: it has no lines `facts`");
  std::string result = R"({"kernel": "f", "text": "", "target": "sm_90", "launch": "", "gpu": "",
    "sizes": {}, "facts": [], "plan": PLAN})";
  auto withPlan = [&](const std::string &plan) {
    std::string text = result;
    return R"({"version": 1, "results": [)" + text.replace(text.find("PLAN"), 4, plan) + "]}";
  };
  EXPECT_EQ(problem(withPlan("[]")), "");
  EXPECT_EQ(problem(withPlan(R"([], "config": {"warps": 8, "BR": 2, "allow_spills": true})")), "");
  EXPECT_EQ(problem(withPlan(R"([], "config": {"warps": "many"})")),
            "t.json: result 1: `warps` of its `config` is no positive number");
  EXPECT_THAT(problem(withPlan(R"(["plan 7 of f for sm_90"])")),
              HasSubstr("t.json: result 1: plan:1:6"));
}

TEST(TunedPlans, takes_the_nearest_of_a_class) {
  TunedPlans plans;
  auto launch = [](int64_t m) { return LaunchClass{"f", "1", "sm_90", "M~4096", {{"M", m}}}; };
  for (int64_t m : {3000, 4096, 5600})
    plans.add({launch(m), "", double(m), "", {}, {}, {}});
  EXPECT_EQ(plans.find(launch(4096))->microseconds, 4096);
  EXPECT_EQ(plans.find(launch(5120))->microseconds, 5600);
  EXPECT_EQ(plans.find(launch(2900))->microseconds, 3000);
  LaunchClass other = launch(4096);
  other.target = "sm_100";
  EXPECT_FALSE(plans.find(other));
  EXPECT_TRUE(plans.findOlder(launch(4096)).empty());
  LaunchClass later = launch(4096);
  later.text = "2";
  EXPECT_FALSE(plans.find(later));
  EXPECT_EQ(plans.findOlder(later).size(), 3u);
}

//===- Launches -------------------------------------------------------------------------------===//

/// Each test has a class of its own, since what is loaded stays.
TEST_F(TunerTest, launches_take_what_was_tuned) {
  Product product(matmul(), 2048, 2048, 2048);
  Plans before(product.text, product.wanted);
  ErrorOr<Memo::Result> usual = before.find(product.call, -1, memo);
  ASSERT_TRUE(usual && **usual);
  ErrorOr<TunedPlan> result = tuned(product, {30, 20, 10});
  ASSERT_TRUE(result);
  loadedPlans().add(*result);
  Plans after(product.text, product.wanted);
  ErrorOr<Memo::Result> found = after.find(product.call, -1, memo);
  ASSERT_TRUE(found && **found);
  EXPECT_EQ((**found)->attempt.config.planText, result->plan);
  EXPECT_NE((**usual)->attempt.config.planText, result->plan);

  Product off(matmul(), 2048, 2048, 2048);
  off.wanted.config.tuned = Config::Tuned::None;
  Plans without(off.text, off.wanted);
  EXPECT_EQ((**without.find(off.call, -1, memo))->attempt.config.planText,
            (**usual)->attempt.config.planText);
}

TEST_F(TunerTest, the_class_takes_it_unless_it_is_predicted_to_be_slow) {
  Product product(matmul(), 1024, 1024, 1024), near(matmul(), 1024, 1024, 1088);
  ErrorOr<TunedPlan> result = tuned(product, {30, 10, 20});
  ASSERT_TRUE(result);
  loadedPlans().add(*result);
  TunedChoice choice = tunedFor(near.text, near.wanted, near.call);
  ASSERT_TRUE(choice.result);
  PlanSearch search(near.text, near.wanted);
  planner::Launch launch = launchOf(near.call, 0);
  passes::Plan plan = *passes::Plan::parse(result->plan);
  EXPECT_EQ(withTuned(search, launch, choice).front(), plan);
  std::vector<planner::Ranked> ranked = search.rank(launch);
  ASSERT_GT(ranked.back().predicted.total, 1.1 * ranked.front().predicted.total);
  TunedPlan slow = *result;
  slow.plan = ranked.back().plan.str();
  choice = {std::make_shared<const TunedPlan>(slow), false, {}};
  EXPECT_EQ(withTuned(search, launch, choice).front(), search.finalists(launch).front());
  choice.isExact = true; // measured, and not predicted
  EXPECT_EQ(withTuned(search, launch, choice).front().str(), slow.plan);
}

TEST_F(TunerTest, an_edited_kernel_keeps_a_plan_whose_facts_it_has) {
  Product product(matmul(), 512, 512, 512), renamed(edited("depth", "deep"), 512, 512, 512);
  ErrorOr<TunedPlan> result = tuned(product, {30, 20, 10});
  ASSERT_TRUE(result);
  loadedPlans().add(*result);
  TunedChoice choice = tunedFor(renamed.text, renamed.wanted, renamed.call);
  ASSERT_TRUE(choice.result);
  EXPECT_TRUE(choice.isExact);
  EXPECT_TRUE(choice.passedOver.empty());
}

TEST_F(TunerTest, a_kernel_with_other_facts_says_which) {
  Product product(matmul(), 256, 256, 256);
  Product changed(edited("cdiv(K, BK)", "cdiv(K, BK) + 1"), 256, 256, 256);
  ErrorOr<TunedPlan> result = tuned(product, {30, 20, 10});
  ASSERT_TRUE(result);
  result->facts.back() += " twice";
  result->plan.replace(result->plan.find("facts ") + 6, 8, "01234567");
  loadedPlans().add(*result);
  TunedChoice choice = tunedFor(changed.text, changed.wanted, changed.call);
  EXPECT_FALSE(choice.result);
  ASSERT_EQ(choice.passedOver.size(), 1u);
  EXPECT_THAT(
      choice.passedOver[0],
      HasSubstr("the plan that was tuned for K=256, M=256, N=256 does not fit any more: `e1"));
  EXPECT_THAT(choice.passedOver[0], HasSubstr("twice` when it was tuned, `e1 "));
  // The same text under another compiler: the launch takes the planner's choice, and says so.
  Plans plans(product.text, product.wanted);
  ErrorOr<Memo::Result> found = plans.find(product.call, -1, memo);
  ASSERT_TRUE(found && **found);
  EXPECT_NE((**found)->attempt.config.planText, result->plan);
  ASSERT_FALSE((**found)->rejected.empty());
  EXPECT_THAT((**found)->rejected[0], HasSubstr("does not fit any more: `e1"));
}

} // namespace
} // namespace tilewright::driver
