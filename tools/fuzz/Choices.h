//===- Choices.h - the sequence of choices that a program is drawn from -----------------------===//
//
// A random program is a function of a sequence of small numbers. Recording the numbers, and not the
// program, makes shrinking simple: a shorter or smaller sequence gives a smaller program, which is
// as well typed and as exactly described as the first. Every choice is made so that 0 is the
// simplest outcome, which is also what an exhausted sequence gives.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_CHOICES_H
#define TILEWRIGHT_TOOLS_FUZZ_CHOICES_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace tilewright::fuzz {

/// The choices that one part of a program was made from: [begin, end).
struct Span {
  size_t begin = 0, end = 0;
};

class Choices {
public:
  /// Drawn at random; the same everywhere for the same seed.
  explicit Choices(uint64_t seed) : random(seed), isRandom(true) {}
  /// Replayed; 0 beyond the end.
  explicit Choices(std::vector<uint32_t> recorded) : replay(std::move(recorded)) {}

  /// A number in [0, bound).
  uint32_t below(uint32_t bound);
  /// A number in [low, high].
  int64_t between(int64_t low, int64_t high) { return low + below(uint32_t(high - low + 1)); }
  bool chance(unsigned percent);
  /// An index, each as often as its weight says; weights of 0 are never taken unless all are.
  size_t weighted(const std::vector<unsigned> &weights);
  template <typename T> T pick(std::initializer_list<T> list) {
    return list.begin()[below(uint32_t(list.size()))];
  }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[below(uint32_t(list.size()))];
  }

  const std::vector<uint32_t> &taken() const { return made; }
  const std::vector<Span> &spans() const { return parts; }

  /// Marks what is drawn while it lives as one part of the program.
  class Part {
  public:
    explicit Part(Choices &choices) : choices(choices), index(choices.parts.size()) {
      choices.parts.push_back({choices.made.size(), choices.made.size()});
    }
    ~Part() { choices.parts[index].end = choices.made.size(); }

  private:
    Choices &choices;
    size_t index;
  };

private:
  /// Records `drawn()`, or what the replay says.
  template <typename Draw> uint32_t take(uint32_t bound, Draw drawn);

  std::mt19937_64 random;
  bool isRandom = false;
  std::vector<uint32_t> replay, made;
  std::vector<Span> parts;
};

} // namespace tilewright::fuzz

#endif
