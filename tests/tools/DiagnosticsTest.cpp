#include "tools/driver/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

class DiagnosticsTest : public testing::Test {
protected:
  mlir::Location at(unsigned line, unsigned column) {
    return mlir::FileLineColLoc::get(&context, "k.py", line, column);
  }
  mlir::MLIRContext context;
  Diagnostics diagnostics{context, "k.py", "one\ntwo three\n"};
};

TEST_F(DiagnosticsTest, an_error_has_its_place_its_line_and_its_notes) {
  (mlir::emitError(at(2, 5)) << "is wrong").attachNote(at(1, 1)) << "because of this";
  EXPECT_EQ(diagnostics.error().message, "k.py:2:5: error: is wrong\ntwo three\n    ^\n"
                                         "k.py:1:1: note: because of this\none\n^");
}

TEST_F(DiagnosticsTest, an_error_without_a_line_has_the_file_and_a_name) {
  mlir::emitError(mlir::NameLoc::get(mlir::StringAttr::get(&context, "sum"))) << "is wrong";
  EXPECT_EQ(diagnostics.error().message, "k.py: error: `sum`: is wrong");
  diagnostics.clear();
  mlir::emitWarning(mlir::UnknownLoc::get(&context)) << "is odd";
  EXPECT_EQ(diagnostics.text(), "k.py: warning: is odd");
}

TEST_F(DiagnosticsTest, a_failure_without_a_word_is_the_compilers_fault) {
  mlir::emitRemark(at(1, 1)) << "pass: a remark is no reason";
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_EQ(diagnostics.error().message,
            "the compiler failed and gives no reason, which is a fault of its own");
}

TEST_F(DiagnosticsTest, what_is_cleared_is_said_no_more_but_for_remarks) {
  mlir::emitError(at(1, 1)) << "is wrong";
  mlir::emitRemark(at(1, 1)) << "pass: a remark";
  diagnostics.clear();
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(diagnostics.remarks().size(), 1u);
  EXPECT_EQ(diagnostics.remarks().front().str(), "k.py:1: pass: a remark");
}

} // namespace
} // namespace tilewright::driver
