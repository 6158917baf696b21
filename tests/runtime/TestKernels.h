//===- TestKernels.h - Kernels that the runtime's tests share ---*- C++ -*-===//

#pragma once

#include "runtime/KernelSource.h"
#include "runtime/Tensor.h"

#include <array>

namespace tilewright::runtime {

/// out[i] = a[i] + b[i] * scale over f32 vectors of length N.
inline KernelSource vectorAdd(std::string target = "sm_90") {
  KernelSource source;
  source.entry = "vector_add";
  source.text = R"(extern "C" __global__ void vector_add(const float *a, const float *b, float *out,
    int n, float scale) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i] * scale;
})";
  source.target = std::move(target);
  for (const char *name : {"a", "b", "out"})
    source.args.push_back(TensorArg{name, ElementType::F32, {{"N", {}}}, 4, true, true});
  source.args.push_back(ScalarArg{"scale", ElementType::F32});
  for (unsigned argument = 0; argument < 3; ++argument)
    source.params.push_back({.kind = ParamKind::Pointer, .argument = argument, .name = "p"});
  source.params.push_back({.kind = ParamKind::Dim, .type = ElementType::I32, .name = "N"});
  source.params.push_back(
      {.kind = ParamKind::Scalar, .argument = 3, .type = ElementType::F32, .name = "scale"});
  source.grid = *Expr::parse("cdiv(N, 256)");
  source.threads = 256;
  source.location = "vector_add.py:1";
  return source;
}

/// A 4-dimensional bf16 tensor with its own shape and contiguous strides.
struct TestTensor {
  explicit TestTensor(std::array<int64_t, 4> shape, ElementType type = ElementType::BF16)
      : shape(shape), type(type) {
    int64_t stride = 1;
    for (size_t axis = 4; axis-- > 0; stride *= shape[axis])
      strides[axis] = stride;
  }

  TensorRef ref() const { return {data, type, rank, shape.data(), strides.data(), device}; }

  std::array<int64_t, 4> shape, strides;
  ElementType type;
  void *data = reinterpret_cast<void *>(0x10000);
  unsigned rank = 4;
  int device = 0;
};

/// The interface of an attention kernel: q[B, S, H, D], k[B, T, G, D], a float and an integer.
inline KernelSource attention() {
  KernelSource source;
  source.entry = "attention";
  source.target = "sm_90a";
  auto tensor = [](const char *name, const char *length, const char *heads) {
    return TensorArg{
        name, ElementType::BF16, {{"B", {}}, {length, {}}, {heads, {}}, {"D", 64}}, 16, true, true};
  };
  source.args = {tensor("q", "S", "H"), tensor("k", "T", "G"), ScalarArg{"scale", ElementType::F32},
                 ScalarArg{"window", ElementType::I32}};
  source.params = {
      {.kind = ParamKind::Pointer, .argument = 0, .name = "q"},
      {.kind = ParamKind::Pointer, .argument = 1, .name = "k"},
      {.kind = ParamKind::Dim, .type = ElementType::I32, .name = "S"},
      {.kind = ParamKind::Stride, .argument = 0, .axis = 1, .type = ElementType::I64, .name = "q1"},
      {.kind = ParamKind::Scalar, .argument = 2, .type = ElementType::F32, .name = "scale"},
      {.kind = ParamKind::Scalar, .argument = 3, .type = ElementType::I32, .name = "window"},
  };
  source.grid = *Expr::parse("cdiv(S, 128) * H * B");
  source.checks = {{*Expr::parse("H % G == 0"), "query heads must be a multiple of key/value heads",
                    "attention.py:9"},
                   {*Expr::parse("scale > 0.0"), "scale is positive", "attention.py:10"}};
  source.threads = 384;
  source.sharedBytes = 200 * 1024;
  return source;
}

} // namespace tilewright::runtime
