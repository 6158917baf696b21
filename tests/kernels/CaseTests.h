//===- CaseTests.h - one GoogleTest per case --------------------------------------------------===//
//
// The suite is the kernel: `--gtest_filter='matmul.*'`. What a test needs from the CPU is computed
// ahead on a pool of threads, so that the tests themselves only wait and compare.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TESTS_KERNELS_CASETESTS_H
#define TILEWRIGHT_TESTS_KERNELS_CASETESTS_H

#include "tests/kernels/Case.h"

#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <thread>

namespace tilewright::kernels {

/// Registers a test for every case; `run` gets the case's index in allCases().
void registerCases(const std::function<void(size_t)> &run);

/// The indices of the cases whose tests will run, in order.
std::vector<size_t> selectedCases();

/// Computes `make(index)` for each index, in order, on as many threads as the machine has.
template <typename T> class Ahead {
public:
  Ahead(std::vector<size_t> indices, std::function<T(size_t)> make)
      : indices(std::move(indices)), make(std::move(make)), results(this->indices.size()) {
    unsigned count = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i)
      threads.emplace_back([this] {
        for (size_t at; (at = next++) < results.size();)
          results[at].set_value(this->make(this->indices[at]));
      });
  }
  ~Ahead() {
    next = results.size();
    for (std::thread &thread : threads)
      thread.join();
  }

  /// The result for an index; waits for it. Once per index.
  T take(size_t index) {
    size_t at = std::lower_bound(indices.begin(), indices.end(), index) - indices.begin();
    return results[at].get_future().get();
  }

private:
  std::vector<size_t> indices;
  std::function<T(size_t)> make;
  std::vector<std::promise<T>> results;
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
};

/// An Ahead that starts when the tests start, if any case was selected.
template <typename T> class AheadEnvironment : public testing::Environment {
public:
  explicit AheadEnvironment(std::function<T(size_t)> make) : make(std::move(make)) {}
  void SetUp() override { ahead = std::make_unique<Ahead<T>>(selectedCases(), make); }
  void TearDown() override { ahead.reset(); }
  T take(size_t index) { return ahead->take(index); }

private:
  std::function<T(size_t)> make;
  std::unique_ptr<Ahead<T>> ahead;
};

/// `--list` stands for GoogleTest's `--gtest_list_tests`.
void initTests(int &argc, char **argv);

} // namespace tilewright::kernels

#endif
