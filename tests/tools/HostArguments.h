//===- HostArguments.h - arguments of which only sizes and facts are taken --------------------===//
#ifndef TILEWRIGHT_TESTS_TOOLS_HOSTARGUMENTS_H
#define TILEWRIGHT_TESTS_TOOLS_HOSTARGUMENTS_H

#include "runtime/Tensor.h"

#include <deque>
#include <vector>

namespace tilewright::driver {

/// Contiguous, aligned tensors in host memory that share a few bytes.
class HostArguments {
public:
  HostArguments(runtime::ElementType type, const std::vector<std::vector<int64_t>> &shapes) {
    for (const std::vector<int64_t> &shape : shapes) {
      std::vector<int64_t> &kept = extents.emplace_back(shape);
      kept.resize(2 * shape.size(), 1); // behind it the strides
      for (size_t axis = shape.size() - 1; axis-- > 0;)
        kept[shape.size() + axis] = kept[shape.size() + axis + 1] * shape[axis + 1];
      list.push_back(runtime::TensorRef{memory, type, unsigned(shape.size()), kept.data(),
                                        kept.data() + shape.size(), /*device=*/-1});
    }
  }
  HostArguments(const HostArguments &) = delete; // the list points into it

  std::vector<runtime::Argument> list;

private:
  alignas(256) char memory[256];
  std::deque<std::vector<int64_t>> extents;
};

} // namespace tilewright::driver

#endif
