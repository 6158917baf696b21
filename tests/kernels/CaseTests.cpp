#include "tests/kernels/CaseTests.h"

#include <cstring>

using namespace tilewright::kernels;

namespace {

class CaseTest : public testing::Test {
public:
  CaseTest(const std::function<void(size_t)> &run, size_t index) : run(run), index(index) {}
  void TestBody() override { run(index); }

private:
  std::function<void(size_t)> run;
  size_t index;
};

} // namespace

void tilewright::kernels::registerCases(const std::function<void(size_t)> &run) {
  std::vector<Case> cases = allCases();
  for (size_t i = 0; i < cases.size(); ++i)
    testing::RegisterTest(cases[i].kernel.c_str(), cases[i].name().c_str(), nullptr,
                          std::to_string(i).c_str(), __FILE__, __LINE__,
                          [&run, i]() -> CaseTest * { return new CaseTest(run, i); });
}

std::vector<size_t> tilewright::kernels::selectedCases() {
  std::vector<size_t> indices;
  const testing::UnitTest &tests = *testing::UnitTest::GetInstance();
  for (int suite = 0; suite < tests.total_test_suite_count(); ++suite)
    for (int i = 0; i < tests.GetTestSuite(suite)->total_test_count(); ++i)
      if (const testing::TestInfo *info = tests.GetTestSuite(suite)->GetTestInfo(i);
          info->should_run() && info->value_param())
        indices.push_back(std::stoul(info->value_param()));
  std::sort(indices.begin(), indices.end());
  return indices;
}

void tilewright::kernels::initTests(int &argc, char **argv) {
  static char listTests[] = "--gtest_list_tests";
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--list"))
      argv[i] = listTests;
  testing::InitGoogleTest(&argc, argv);
}
