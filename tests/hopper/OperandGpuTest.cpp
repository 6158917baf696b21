// Descriptors, tensor maps and fragments, as PanelLayout derives them, are what the GPU reads: one
// product in every form of its operands, exact.
#include "runtime/Device.h"
#include "runtime/Kernel.h"
#include "tests/hopper/HopperGpu.h"
#include "tests/hopper/Operands.h"

using namespace tilewright;
using namespace tilewright::runtime;
using hopper::HopperGpu;
using hopper::Numbers;
using hopper::Product;

namespace {

class Operands : public HopperGpu, public testing::WithParamInterface<Product> {
protected:
  DeviceBuffer upload(const std::vector<char> &bytes) {
    DeviceBuffer buffer = std::move(DeviceBuffer::allocate(*driver, bytes.size())).value();
    Status copied = buffer.copyFrom(bytes.data(), bytes.size());
    EXPECT_TRUE(copied) << copied.error().message;
    return buffer;
  }
};

TEST_P(Operands, give_the_exact_product) {
  const Product &product = GetParam();
  Numbers numbers(product);
  KernelSource source = product.source();
  ErrorOr<Kernel> kernel = Kernel::build(source, {.useCache = false});
  ASSERT_TRUE(kernel) << kernel.error().message << source.text;

  DeviceBuffer a = upload(numbers.a), b = upload(numbers.b);
  DeviceBuffer d = upload(std::vector<char>(numbers.product.size() * 4));
  auto type = [&](size_t index) { return std::get<TensorArg>(source.args[index]).type; };
  PanelLayout layoutA = product.layoutA(), layoutB = product.layoutB();
  int64_t aShape[] = {layoutA.rows, layoutA.columns}, aStrides[] = {layoutA.columns, 1};
  int64_t bShape[] = {layoutB.rows, layoutB.columns}, bStrides[] = {layoutB.columns, 1};
  int64_t dShape[] = {64, product.n}, dStrides[] = {product.n, 1};
  std::vector<Argument> args = {TensorRef{a.data(), type(0), 2, aShape, aStrides, 0},
                                TensorRef{b.data(), type(1), 2, bShape, bStrides, 0},
                                TensorRef{d.data(), type(2), 2, dShape, dStrides, 0}};
  ASSERT_OK(kernel->launch(nullptr, args));
  std::vector<int> bits(numbers.product.size());
  ASSERT_OK(d.copyTo(bits.data(), bits.size() * 4));
  bool integers = product.sumType() == "i32";
  for (size_t i = 0; i < bits.size(); ++i)
    ASSERT_EQ(integers ? float(bits[i]) : std::bit_cast<float>(bits[i]), float(numbers.product[i]))
        << "row " << i / size_t(product.n) << ", column " << i % size_t(product.n);
}

INSTANTIATE_TEST_SUITE_P(All, Operands, testing::ValuesIn(hopper::allProducts()));

} // namespace
