// The kernels of each instruction set give the same bits.
#include "simulator/reference/Kernels.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tilewright::simulator {

/// Floats and integers of every size, some of them equal, zero or not a number.
static std::vector<uint32_t> randomWords(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t &word : words)
    word = random() % 4 ? uint32_t(random()) : uint32_t(random() % 5) * 0x3f800000u;
  return words;
}

static Kernels portableKernels() {
  Kernels table = {};
  portable::addElementKernels(table);
  portable::addRowKernels(table);
  portable::addAxisKernels(table);
  portable::addDotKernels(table);
  return table;
}

/// Compares results bit by bit, but that any NaN of type `Float` equals any other.
template <typename Float>
static bool sameFloats(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b) {
  for (size_t i = 0; i + sizeof(Float) / 4 <= a.size(); i += sizeof(Float) / 4) {
    Float one, other;
    std::memcpy(&one, &a[i], sizeof(Float));
    std::memcpy(&other, &b[i], sizeof(Float));
    if (std::memcmp(&one, &other, sizeof(Float)) && !(std::isnan(one) && std::isnan(other)))
      return false;
  }
  return true;
}

static bool sameWords(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b, int storage) {
  if (storage == int(Storage::Double))
    return sameFloats<double>(a, b);
  return storage == int(Storage::Float) ? sameFloats<float>(a, b) : a == b;
}

constexpr int64_t kCount = 4099;

TEST(Kernels, elementsAgreeBetweenInstructionSets) {
  Kernels portable = portableKernels();
  auto a = randomWords(2 * kCount, 1), b = randomWords(2 * kCount, 2),
       c = randomWords(2 * kCount, 3);
  for (uint32_t &word : b)
    word |= word == 0; // no division by zero
  for (int op = 0; op < int(ElementOp::Wrap32); ++op)
    for (int storage = 0; storage < kNumStorages; ++storage) {
      ElementKernel one = portable.element[op][storage], other = kernels().element[op][storage];
      ASSERT_EQ(one == nullptr, other == nullptr);
      if (!one)
        continue;
      int64_t width = storage == int(Storage::Int64) ? 64 : 32;
      std::vector<uint32_t> first(2 * kCount), second(2 * kCount);
      one(first.data(), a.data(), b.data(), c.data(), kCount, width);
      other(second.data(), a.data(), b.data(), c.data(), kCount, width);
      EXPECT_TRUE(sameWords(first, second, storage)) << op << " " << storage;
    }
}

TEST(Kernels, roundingsAgreeBetweenInstructionSets) {
  Kernels portable = portableKernels();
  auto a = randomWords(kCount, 4);
  for (int kind = 0; kind < kNumElementKinds; ++kind)
    if (ElementKernel one = portable.round[kind]) {
      std::vector<uint32_t> first(kCount), second(kCount);
      one(first.data(), a.data(), nullptr, nullptr, kCount, 0);
      kernels().round[kind](second.data(), a.data(), nullptr, nullptr, kCount, 0);
      EXPECT_EQ(first, second);
    }
}

TEST(Kernels, rowsAgreeBetweenInstructionSets) {
  Kernels portable = portableKernels();
  auto memory = randomWords(2 * kCount, 5);
  for (int kind = 0; kind < kNumElementKinds; ++kind)
    for (int64_t stride : {1, 2}) {
      std::vector<uint32_t> first(2 * kCount), second(2 * kCount);
      portable.loadRow[kind](first.data(), memory.data(), stride, kCount / 2);
      kernels().loadRow[kind](second.data(), memory.data(), stride, kCount / 2);
      EXPECT_EQ(first, second) << kind;
      std::vector<uint32_t> third(2 * kCount), fourth(2 * kCount);
      portable.storeRow[kind](third.data(), first.data(), stride, kCount / 2);
      kernels().storeRow[kind](fourth.data(), first.data(), stride, kCount / 2);
      EXPECT_EQ(third, fourth) << kind;
    }
}

TEST(Kernels, dotsAndSumsAgreeBetweenInstructionSets) {
  constexpr int64_t kM = 13, kN = 37, kK = 50;
  Kernels portable = portableKernels();
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  std::vector<float> a(kM * kK), b(kK * kN), first(kM * kN), second(kM * kN);
  for (auto *values : {&a, &b})
    for (float &value : *values)
      value = normal(random);
  portable.dotFloat(first.data(), a.data(), b.data(), kM, kN, kK);
  kernels().dotFloat(second.data(), a.data(), b.data(), kM, kN, kK);
  EXPECT_EQ(first, second);
  for (int how = 0; how < 3; ++how)
    for (auto [outer, axis, inner] : {std::array<int64_t, 3>{kM, kK, 1}, {1, kM, kK}}) {
      AxisKernel one = portable.reduce[how][int(Storage::Float)];
      one(first.data(), a.data(), outer, axis, inner);
      kernels().reduce[how][int(Storage::Float)](second.data(), a.data(), outer, axis, inner);
      EXPECT_EQ(first, second);
    }
}

} // namespace tilewright::simulator
