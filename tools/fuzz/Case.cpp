#include "tools/fuzz/Case.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <random>
#include <sstream>

using namespace tilewright;
using namespace tilewright::fuzz;

static std::string describe(const TensorPlan &plan) {
  std::string text = fmt::format("# tensor {}: ", plan.name);
  if (plan.isFilled)
    text += fmt::format("values [{}, {}] step {}, seed {}, ", plan.low, plan.high, plan.step,
                        plan.seed);
  return text + fmt::format("error {}, {}\n", plan.error, cli::nameOf(plan.memory));
}

std::string Case::str() const {
  std::string file;
  for (const auto &[name, size] : dims)
    file += fmt::format("# dim {} = {}\n", name, size);
  for (const auto &[name, value] : scalars)
    file += fmt::format("# scalar {} = {}\n", name, value);
  for (const TensorPlan &plan : tensors)
    file += describe(plan);
  return file + text;
}

/// The words of a line, without punctuation.
static std::vector<std::string> wordsOf(std::string line) {
  for (char &c : line)
    if (c == ':' || c == ',' || c == '[' || c == ']' || c == '=' || c == '#')
      c = ' ';
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

static ErrorOr<TensorPlan> parseTensor(const std::vector<std::string> &words) {
  TensorPlan plan;
  plan.name = words[1];
  plan.isFilled = false;
  for (size_t i = 2; i < words.size(); ++i) {
    auto number = [&] {
      return i + 1 < words.size() ? std::strtod(words[++i].c_str(), nullptr) : 0;
    };
    if (words[i] == "values") {
      plan.isFilled = true;
      plan.low = number();
      plan.high = number();
    } else if (words[i] == "step") {
      plan.step = number();
    } else if (words[i] == "seed") {
      plan.seed = uint64_t(number());
    } else if (words[i] == "error") {
      plan.error = number();
    } else if (std::optional<cli::Memory> memory = cli::memoryByName(words[i])) {
      plan.memory = *memory;
    } else {
      return Error{"a fuzz case says `" + words[i] + "` of the tensor `" + plan.name + "`"};
    }
  }
  return plan;
}

ErrorOr<Case> fuzz::parseCase(const std::string &file) {
  Case result;
  std::istringstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::vector<std::string> words =
        line.starts_with("#") ? wordsOf(line) : decltype(wordsOf(""))();
    if (words.size() == 3 && words[0] == "dim") {
      result.dims[words[1]] = std::strtoll(words[2].c_str(), nullptr, 10);
    } else if (words.size() == 3 && words[0] == "scalar") {
      result.scalars[words[1]] = std::strtod(words[2].c_str(), nullptr);
    } else if (words.size() > 2 && words[0] == "tensor") {
      TILEWRIGHT_ASSIGN(TensorPlan plan, parseTensor(words));
      result.tensors.push_back(plan);
    } else if (!line.starts_with("#") || !result.text.empty()) {
      result.text += line + "\n";
      continue;
    }
    result.linesBefore += result.text.empty();
  }
  return result;
}

cli::StridedTensor fuzz::makeTensor(const TensorPlan &plan, runtime::ElementType type,
                                    const std::vector<int64_t> &shape) {
  cli::StridedTensor tensor(type, shape, plan.memory, /*isInput=*/plan.isFilled);
  cli::HostTensor values(type, shape);
  if (!plan.isFilled)
    values.poison();
  std::mt19937_64 random(plan.seed);
  for (int64_t i = 0; plan.isFilled && i < values.size(); ++i) {
    double fraction = double(random() >> 11) * 0x1p-53;
    double steps = plan.step > 0 ? std::floor((plan.high - plan.low) / plan.step) + 1 : 0;
    values.set(i, plan.low + (plan.step > 0 ? std::floor(fraction * steps) * plan.step
                                            : fraction * (plan.high - plan.low)));
  }
  tensor.scatter(values);
  return tensor;
}
