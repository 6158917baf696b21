#include "tools/driver/RoleLoops.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::driver;
using runtime::Instruction;
using runtime::InstructionKind;

namespace {

/// Instructions by their low 12 bits; `to` is the register that they write.
constexpr uint64_t kProduct = 0x9f0, kAdd = 0x221, kSync = 0x5a7, kBranch = 0x947;
Instruction instruction(uint64_t opcode, uint64_t to = 255) { return {opcode | to << 16, 0}; }

/// A role at lines 10 to 20 and another at 30 to 40. The first has a loop of instructions 1 to 6;
/// in it 2 and 3 wait, and 4 and 5 multiply.
struct RoleLoopsTest : testing::Test {
  RoleOutline first{"first", 4, 200, 10, 20}, second{"second", 4, 40, 30, 40};
  RoleCode code;

  RoleLoopsTest() {
    code.code = {instruction(kAdd, 250), instruction(kAdd, 7),      instruction(kSync),
                 instruction(kBranch),   instruction(kProduct, 24), instruction(kBranch),
                 instruction(kBranch),   instruction(kAdd, 30)};
    code.code[4].low |= uint64_t(128 / 8 - 1) << 53; // 128 columns
    code.lines = {1, 11, 12, 12, 3, 14, 13, 31};
    code.roles = {nullptr, &first, &first, &first, &first, &first, &first, &second};
    code.loops = {{1, {1, 2, 3, 4, 5, 6}}, {2, {2, 3}}, {4, {4, 5}}};
  }
};

TEST_F(RoleLoopsTest, a_wait_is_part_of_the_loop_around_it) {
  std::vector<RoleLoop> loops = roleLoops(code);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].role, &first);
  EXPECT_EQ(loops[0].depth, 0u);
  EXPECT_EQ(loops[0].mix.str(), "1 float, 1 sync, 2 branch");
}

TEST_F(RoleLoopsTest, an_inner_loop_is_counted_by_itself) {
  RoleLoop inner = roleLoops(code).back();
  EXPECT_EQ(inner.depth, 1u);
  EXPECT_EQ(inner.mix.count(InstructionKind::Tensor), 1u);
  EXPECT_EQ(inner.mix.str(), "1 tensor, 1 branch");
}

TEST_F(RoleLoopsTest, lines_are_those_of_the_role) {
  std::vector<RoleLoop> loops = roleLoops(code);
  EXPECT_EQ(loops[0].firstLine, 11u);
  EXPECT_EQ(loops[0].lastLine, 14u);
  EXPECT_EQ(loops[1].firstLine, 14u); // line 3 is that of a function
}

TEST_F(RoleLoopsTest, registers_are_counted_for_each_role) {
  EXPECT_EQ(registersOf(code, first), 24u + 64u);
  EXPECT_EQ(registersOf(code, second), 31u);
}

} // namespace
