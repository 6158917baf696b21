#include "support/Files.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright;
namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tilewright-files-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder); }

  size_t fileCount() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  std::string folder;
};

TEST_F(Files, reads_back_what_was_written) {
  std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(writeFileAtomic(folder + "/x", bytes));
  ASSERT_TRUE(writeFileAtomic(folder + "/x", bytes + bytes));
  EXPECT_EQ(*readFile(folder + "/x"), bytes + bytes);
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(Files, names_the_file_and_the_reason) {
  ErrorOr<std::string> missing = readFile(folder + "/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "cannot read `" + folder + "/none`: No such file or directory");
  EXPECT_FALSE(readFile(folder));
}

TEST_F(Files, failed_write_keeps_the_old_file_and_leaves_nothing) {
  ASSERT_TRUE(writeFileAtomic(folder + "/x", "old"));
  pid_t child = fork();
  if (child == 0) {
    // A file size limit stands in for a full disk; the signal would kill us before write reports.
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(writeFileAtomic(folder + "/x", std::string(5000, 'n')) ? 1 : 0);
  }
  int result = 0;
  waitpid(child, &result, 0);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(*readFile(folder + "/x"), "old");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(Files, creates_parents) {
  EXPECT_TRUE(createDirectories(folder + "/a/b"));
  EXPECT_TRUE(createDirectories(folder + "/a/b"));
  EXPECT_TRUE(checkWritable(folder + "/a/b"));
  ASSERT_TRUE(writeFileAtomic(folder + "/file", ""));
  EXPECT_FALSE(createDirectories(folder + "/file"));
  EXPECT_FALSE(createDirectories(folder + "/file/below"));
  EXPECT_FALSE(checkWritable("/proc"));
}
