#include "tools/driver/LaunchExprs.h"
#include "tools/driver/KernelModule.h"

#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

KernelModule lowerKernel(const std::string &body) {
  std::string text = "from tilewright import *\n\nN, M = dims(\"N M\")\n\n\n@kernel\n"
                     "def k(x: Tensor[f32, N, M], n: i32, flag: bool, scale: f32):\n" +
                     body;
  ErrorOr<KernelTextPtr> kernel = loadKernelText(text, "k.py", "k");
  EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().message);
  ErrorOr<KernelModule> module = KernelModule::lower(*kernel, {});
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  return std::move(*module);
}

TEST(GridExpr, is_the_product_of_the_extents) {
  KernelModule module = lowerKernel("    a, b = grid(cdiv(N, 128), M // 2 + n)\n");
  ErrorOr<runtime::Expr> grid = gridExpr(module.kernel());
  ASSERT_TRUE(grid) << grid.error().message;
  EXPECT_EQ(grid->str(), "cdiv(N, 128) * (M // 2 + n)");
}

TEST(LaunchChecks, keeps_asserts_over_sizes_and_arguments) {
  KernelModule module = lowerKernel("    assert N % 8 == 0 and n < M, \"sizes\"\n"
                                    "    i = grid(N)\n"
                                    "    assert i < N, \"known on the GPU only\"\n");
  std::vector<runtime::LaunchCheck> checks = *launchChecks(module.kernel());
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].condition.str(), "N % 8 == 0 and n < M");
  EXPECT_EQ(checks[0].message, "sizes");
  EXPECT_EQ(checks[0].location, "k.py:8");
}

TEST(LaunchChecks, gives_min_and_max_their_names) {
  KernelModule module = lowerKernel("    assert maximum(N, 3) > minimum(M, n)\n    i = grid(N)\n");
  std::vector<runtime::LaunchCheck> checks = *launchChecks(module.kernel());
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].condition.str(), "max(N, 3) > min(M, n)");
}

TEST(LaunchChecks, keeps_asserts_over_floats) {
  KernelModule module = lowerKernel("    assert scale > 0\n"
                                    "    assert scale <= 0.5 and 2 * scale + 1 != scale * scale\n"
                                    "    i = grid(N)\n"
                                    "    assert x[i, 0] > 0, \"known on the GPU only\"\n");
  std::vector<runtime::LaunchCheck> checks = *launchChecks(module.kernel());
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].condition.str(), "scale > 0.0");
  EXPECT_EQ(checks[1].condition.str(), "scale <= 0.5 and 2.0 * scale + 1.0 != scale * scale");
}

} // namespace
} // namespace tilewright::driver
