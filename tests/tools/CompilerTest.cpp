#include "tools/driver/Compiler.h"

#include "codegen/PrintCuda.h"
#include "ir/cuda/Cuda.h"
#include "tools/driver/Builtins.h"
#include "tools/driver/Describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace tilewright::driver {
namespace {

using testing::HasSubstr;

/// What a launch with aligned f16 tensors, and none of the optional ones, would ask for.
Attempt attemptOn(const char *target, const std::string &kernel) {
  Attempt attempt;
  attempt.config.target = target;
  KernelTextPtr text = *loadKernel(kernel);
  for (const frontend::DtypeVariable &variable : text->signature().dtypes)
    attempt.specialisation.dtypes[variable.name] = frontend::Dtype::F16;
  for (const frontend::Param &param : text->signature().params)
    if (param.kind == frontend::Param::Tensor && !param.optional)
      attempt.specialisation.tensors[param.name].align = 16;
  for (const frontend::DimInfo &dim : text->signature().dims)
    if (dim.isStatic)
      attempt.specialisation.dims[dim.name] = 128;
  return attempt;
}

TEST(Translate, describes_the_launch) {
  ErrorOr<Translated> result =
      translate(*loadKernel("vector_add"), attemptOn("sm_80", "vector_add"));
  ASSERT_TRUE(result) << result.error().message;
  const runtime::KernelSource &source = result->source;
  EXPECT_EQ(source.entry, "vector_add");
  EXPECT_EQ(source.target, "sm_80");
  EXPECT_EQ(source.grid.str(), "cdiv(N, 2048)");
  ASSERT_EQ(source.args.size(), 3u);
  const auto &x = std::get<runtime::TensorArg>(source.args[0]);
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.type, runtime::ElementType::F16);
  EXPECT_EQ(x.alignment, 16u);
  EXPECT_TRUE(x.unitInnerStride && x.index32);
  ASSERT_EQ(source.params.size(), 4u); // three pointers and N
  EXPECT_EQ(source.params[3].kind, runtime::ParamKind::Dim);
  EXPECT_EQ(source.params[3].name, "N");
  EXPECT_THAT(source.text, HasSubstr("extern \"C\""));
}

TEST(Translate, is_the_same_every_time) {
  KernelTextPtr text = *loadKernel("attention");
  ErrorOr<Translated> first = translate(text, attemptOn("sm_90", "attention"));
  ErrorOr<Translated> second = translate(text, attemptOn("sm_90", "attention"));
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(first->source, second->source);
}

TEST(Translate, keeps_literal_sizes) {
  ErrorOr<Translated> result =
      translate(*loadKernel("reduce_sum"), attemptOn("sm_80", "reduce_sum"));
  ASSERT_TRUE(result) << result.error().message;
  const auto &total = std::get<runtime::TensorArg>(result->source.args[1]);
  EXPECT_EQ(total.dims.at(0), (runtime::DimRef{"", 1}));
}

TEST(Translate, refuses_tiles_beyond_shared_memory) {
  Attempt attempt = attemptOn("sm_75", "matmul");
  attempt.specialisation.consts["BM"] = attempt.specialisation.consts["BK"] = int64_t(512);
  std::optional<Rejection> rejection;
  ErrorOr<Translated> result = translate(*loadKernel("matmul"), attempt, &rejection);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("bytes of shared memory"));
  EXPECT_THAT(result.error().message, HasSubstr("BM = 512"));
  EXPECT_THAT(result.error().message, HasSubstr("has 65536"));
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->misfit, Misfit::SharedMemory);
}

TEST(Translate, refuses_tiles_beyond_the_registers) {
  Attempt attempt = attemptOn("sm_90", "matmul");
  attempt.specialisation.consts["BN"] = int64_t(256);
  attempt.config.warps = 4;
  std::optional<Rejection> rejection;
  ErrorOr<Translated> result = translate(*loadKernel("matmul"), attempt, &rejection);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("matmul.py:"));
  EXPECT_THAT(result.error().message, HasSubstr("registers here and has 255 (acc 256"));
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->misfit, Misfit::Registers);
  EXPECT_EQ(rejection->warps, 4);
  attempt.config.allowSpills = true;
  EXPECT_TRUE(translate(*loadKernel("matmul"), attempt));
}

TEST(NextAttempt, changes_only_what_was_left_open) {
  KernelTextPtr text = *loadKernel("matmul");
  Attempt wanted = attemptOn("sm_90", "matmul");
  wanted.config.stages = 2;
  wanted.specialisation.consts["BM"] = int64_t(256);
  auto next = nextAttempt(text->signature(), wanted, wanted, {Misfit::SharedMemory, 8});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->str(text->signature()), "BM = 256, BN = 64, BK = 64, stages = 2");
  auto wider = nextAttempt(text->signature(), wanted, wanted, {Misfit::Registers, 4});
  ASSERT_TRUE(wider);
  EXPECT_EQ(wider->config.warps, 8);
}

TEST(NextAttempt, leaves_room_for_one_block_first) {
  KernelTextPtr text = *loadKernel("matmul");
  Attempt wanted = attemptOn("sm_90", "matmul");
  Rejection rejection{Misfit::Registers, 4, /*minBlocks=*/2};
  auto next = nextAttempt(text->signature(), wanted, wanted, rejection);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->config.minBlocks, 1);
  EXPECT_EQ(next->config.warps, 0);
  auto after = nextAttempt(text->signature(), wanted, *next, rejection);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->config.minBlocks, 1);
  EXPECT_NE(after->str(text->signature()), next->str(text->signature()));
}

TEST(NextAttempt, halves_the_blocks_until_one_is_left) {
  KernelTextPtr text = *loadKernel("rms_norm");
  Attempt attempt = attemptOn("sm_90", "rms_norm");
  for (int64_t blocks : {2, 1}) {
    auto next = nextAttempt(text->signature(), attemptOn("sm_90", "rms_norm"), attempt,
                            {Misfit::Registers, 8, /*minBlocks=*/4});
    ASSERT_TRUE(next);
    EXPECT_EQ(next->config.minBlocks, blocks);
    attempt = *next;
  }
}

TEST(NextAttempt, shares_rows_that_are_too_long_for_a_block) {
  KernelTextPtr text = *loadKernel("rms_norm");
  Rejection rejection{Misfit::Registers, /*warps=*/8};
  for (const char *target : {"sm_80", "sm_90"}) {
    Attempt wanted = attemptOn(target, "rms_norm"), attempt = wanted;
    wanted.specialisation.consts["BR"] = int64_t(1);
    std::vector<int64_t> clusters;
    while (auto next = nextAttempt(text->signature(), wanted, attempt, rejection)) {
      attempt = *next;
      rejection.warps = attempt.config.warps ? attempt.config.warps : 8;
      int64_t cluster = attempt.config.cluster;
      if (cluster && (clusters.empty() || clusters.back() != cluster)) // also with 16 warps
        clusters.push_back(cluster);
    }
    EXPECT_EQ(clusters, target == std::string("sm_90") ? std::vector<int64_t>({2, 4, 8})
                                                       : std::vector<int64_t>());
  }
}

TEST(NextAttempt, ends) {
  KernelTextPtr text = *loadKernel("matmul");
  Attempt wanted = attemptOn("sm_90", "matmul");
  std::optional<Attempt> attempt = wanted;
  int count = 0;
  while ((attempt = nextAttempt(text->signature(), wanted, *attempt, {Misfit::SharedMemory, 8})))
    ASSERT_LT(++count, 50);
}

TEST(MemoKey, depends_on_all_that_the_code_does) {
  KernelTextPtr text = *loadKernel("vector_add");
  Attempt attempt = attemptOn("sm_80", "vector_add");
  std::string key = memoKey(*text, attempt);
  EXPECT_EQ(key, memoKey(*text, attempt));
  Attempt other = attempt;
  other.specialisation.tensors["x"].align = 8;
  EXPECT_NE(key, memoKey(*text, other));
  other = attempt;
  other.specialisation.dtypes["E"] = frontend::Dtype::F32;
  EXPECT_NE(key, memoKey(*text, other));
  other = attempt;
  other.config.target = "sm_90";
  EXPECT_NE(key, memoKey(*text, other));
}

TEST(Memo, compiles_once_for_many_threads) {
  KernelTextPtr text = *loadKernel("vector_add");
  Memo memo;
  std::vector<Memo::Result> results(8);
  {
    std::vector<std::jthread> threads;
    for (Memo::Result &result : results)
      threads.emplace_back([&] { result = memo.get(text, attemptOn("sm_80", "vector_add")); });
  }
  for (const Memo::Result &result : results)
    EXPECT_EQ(result, results.front());
  ASSERT_TRUE(*results.front()) << results.front()->error().message;
}

TEST(Builtins, all_are_parsed) {
  for (const BuiltinFile &file : builtinFiles())
    for (const std::string &name : kernelNames(file.text)) {
      ErrorOr<KernelTextPtr> text = loadKernel(name);
      EXPECT_TRUE(text) << (text ? "" : text.error().message);
    }
}

TEST(CudaDialect, every_op_is_printed) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<cuda::CudaDialect>();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "cuda") {
      EXPECT_TRUE(codegen::isPrinted(name)) << name.getStringRef().str();
    }
}

} // namespace
} // namespace tilewright::driver
