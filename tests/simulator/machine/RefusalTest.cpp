// What the simulator refuses to run: arguments that do not fit, and kernels that no launch could
// have.
#include "tests/simulator/machine/MachineHarness.h"

using namespace tilewright::simulator;

namespace {

class Refusal : public MachineTest {
protected:
  /// What is said of the loaded kernel with these arguments.
  std::string refusal(llvm::ArrayRef<MachineArgument> arguments) {
    messages.clear();
    EXPECT_TRUE(mlir::failed(simulate(kernel(), arguments, 1)));
    return messages.empty() ? "nothing" : messages.front();
  }
  std::string refusalOf(const std::string &module) {
    loadModule(module);
    return refusal({});
  }
};

TEST_F(Refusal, of_other_arguments_than_the_kernel_takes) {
  load({.arguments = "%x: !cuda.ptr<f32>, %n: i32", .body = ""});
  std::vector<float> values(4);
  EXPECT_EQ(refusal({pointer(values, "f32")}),
            "1: error: `kernel` takes 2 arguments but is given 1");
  EXPECT_EQ(refusal({int64_t(1), int64_t(1)}), "1: error: `argument 0` needs a pointer");
  EXPECT_EQ(refusal({pointer(values, "f32"), 1.5}),
            "1: error: `argument 1` needs a number of type 'i32'");
}

TEST_F(Refusal, of_tensors_that_no_map_can_describe) {
  load({.arguments = "%m: !cuda.tensor_map<tensor<8x64xf16>, swizzle 128>", .body = ""});
  std::vector<uint16_t> values(64 * 64);
  Pointer at = pointer(values, "f16");
  EXPECT_EQ(refusal({at}), "1: error: `argument 0` needs a tensor map of 2 axes");
  EXPECT_EQ(refusal({TensorMap{{at.buffer, 4}, {32, 64}, {64, 1}}}),
            "1: error: `argument 0` begins at no multiple of 16 bytes");
  EXPECT_EQ(refusal({TensorMap{at, {32, 60}, {60, 1}}}),
            "1: error: `argument 0` has stride 60 along axis 0; a tensor map needs a multiple of "
            "16 bytes");
  EXPECT_EQ(refusal({TensorMap{at, {32, 32}, {64, 2}}}),
            "1: error: `argument 0` has stride 2 along its innermost axis");
}

TEST_F(Refusal, of_functions_that_are_no_kernels) {
  EXPECT_EQ(refusalOf("func.func @f() { return }"),
            "1: error: `f` is no kernel: it lacks `cuda.kernel` or `cuda.threads`");
  EXPECT_EQ(
      refusalOf("func.func @f() attributes {cuda.kernel, cuda.threads = 40 : i32} { return }"),
      "1: error: a block has 32 to 1024 threads in whole warps, not 40");
}

TEST_F(Refusal, of_more_shared_memory_than_the_target_has) {
  EXPECT_EQ(
      refusalOf("func.func @f() attributes {cuda.kernel, cuda.target = \"sm_75\", cuda.threads "
                "= 32 : i32, cuda.shared_bytes = 70000 : i32} { return }"),
      "1: error: the kernel needs 70000 bytes of shared memory, but `sm_75` has 65536 per "
      "block");
}

TEST_F(Refusal, of_ops_and_types_that_it_does_not_know) {
  load({.body = "%x = arith.constant 1 : i4"});
  EXPECT_EQ(refusal({}), "1: error: the simulator cannot hold a value of type 'i4'");
  load({.body = "%x = arith.constant 1 : i32\n%y = math.ctlz %x : i32"});
  EXPECT_EQ(refusal({}), "2: error: the simulator does not run `math.ctlz`");
  load({.arguments = "%x: i4", .body = ""});
  EXPECT_EQ(refusal({int64_t(1)}), "1: error: the simulator cannot hold an argument of type 'i4'");
}

TEST_F(Refusal, of_known_ops_on_types_that_no_pass_gives_them) {
  load({.body = "%x = arith.constant sparse<0, 1.0> : vector<2xf16>"});
  EXPECT_EQ(refusal({}), "1: error: the simulator cannot read this constant");
  load({.body = "%x = arith.constant 1 : i64\n%y = arith.bitcast %x : i64 to f64"});
  EXPECT_EQ(refusal({}), "2: error: the simulator has no bitcast of 'i64' to 'f64'");
  load({.body = "%x = arith.constant dense<1.0> : vector<2xf16>\n"
                "%y = arith.addf %x, %x : vector<2xf16>"});
  EXPECT_EQ(refusal({}), "2: error: the simulator has no `arith.addf` of 'vector<2xf16>'");
  load({.body = "%x = arith.constant dense<true> : vector<32xi1>\n"
                "%i = arith.constant 0 : i32\n"
                "%y = cuda.unpack %x[%i] : vector<32xi1> -> i32"});
  EXPECT_EQ(refusal({}), "3: error: the simulator does not know the packed words 'vector<32xi1>'");
}

TEST_F(Refusal, of_atomic_updates_that_no_gpu_has) {
  std::vector<uint16_t> values(4);
  auto refusalOfUpdate = [&](const std::string &kind, const std::string &type) {
    load({.arguments = "%x: !cuda.ptr<" + type + ">, %n: i32",
          .body = "%v = cuda.convert %n : i32 -> " + type + "\ncuda.atomic \"" + kind +
                  "\" %v, %x[%n] : " + type + ", !cuda.ptr<" + type + ">, i32"});
    return refusal({pointer(values, type), int64_t(0)});
  };
  EXPECT_EQ(refusalOfUpdate("max", "f16"), "2: error: there is no atomic `max` of 'f16'");
  EXPECT_EQ(refusalOfUpdate("xor", "i32"), "2: error: there is no atomic `xor` of 'i32'");
}

} // namespace
