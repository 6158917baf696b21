#include "support/Files.h"
#include "tests/support/Processes.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
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
  EXPECT_EQ(inProcess([&] {
              limitFiles(/*deadly=*/false);
              return !writeFileAtomic(folder + "/x", std::string(5000, 'n'));
            }),
            0);
  EXPECT_EQ(*readFile(folder + "/x"), "old");
  EXPECT_EQ(fileCount(), 1u);
}

/// Writes in another process, which is killed in the middle: at the limit of a file's size.
static void writeAndDie(const std::string &path) {
  int result = inProcess([&] {
    limitFiles(/*deadly=*/true);
    return writeFileAtomic(path, std::string(5000, 'n')).ok();
  });
  EXPECT_TRUE(WIFSIGNALED(result)) << "the writer was to die";
}

TEST_F(Files, killed_writer_leaves_the_old_file_and_what_can_be_removed) {
  ASSERT_TRUE(writeFileAtomic(folder + "/x", "old"));
  writeAndDie(folder + "/x");
  EXPECT_EQ(*readFile(folder + "/x"), "old");
  EXPECT_EQ(fileCount(), 2u);
  removeAbandonedFiles(folder);
  EXPECT_EQ(*readFile(folder + "/x"), "old");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(Files, what_is_being_written_is_not_abandoned) {
  writeAndDie(folder + "/x");
  std::string temporary = fs::directory_iterator(folder)->path();
  int writer = open(temporary.c_str(), O_WRONLY);
  ASSERT_EQ(flock(writer, LOCK_EX | LOCK_NB), 0); // as one that lives holds it
  removeAbandonedFiles(folder);
  EXPECT_EQ(fileCount(), 1u);
  close(writer);
  removeAbandonedFiles(folder);
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(Files, writers_succeed_beside_those_that_tidy_up) {
  pid_t child = fork();
  if (child == 0)
    while (true)
      removeAbandonedFiles(folder);
  for (int i = 0; i < 300; ++i)
    EXPECT_TRUE(writeFileAtomic(folder + "/x", std::to_string(i)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(*readFile(folder + "/x"), "299");
}

TEST_F(Files, own_are_those_that_none_but_the_user_may_write_to) {
  std::string file = folder + "/x";
  mode_t before = umask(0);
  EXPECT_TRUE(createDirectories(folder + "/a/b"));
  EXPECT_TRUE(writeFileAtomic(file, "bytes"));
  umask(before);
  EXPECT_TRUE(checkOwn(folder + "/a"));
  EXPECT_TRUE(checkOwn(folder + "/a/b"));
  EXPECT_EQ(**readOwnFile(file), "bytes");
  for (mode_t mode : {0664, 0646, 0777}) {
    chmod(file.c_str(), mode);
    EXPECT_EQ(readOwnFile(file).error().message,
              "others than its owner may write to `" + file + "`; `chmod go-w` changes that");
    EXPECT_FALSE(checkOwn(file));
  }
  EXPECT_FALSE(*readOwnFile(folder + "/none"));
  EXPECT_FALSE(checkOwn(folder + "/none"));
}

TEST_F(Files, own_are_not_those_of_other_users) {
  std::string file = folder + "/x";
  ASSERT_TRUE(writeFileAtomic(file, "bytes"));
  if (chown(file.c_str(), 12345, getgid()) != 0)
    GTEST_SKIP() << "only root can give files away";
  EXPECT_EQ(checkOwn(file).error().message,
            "`" + file + "` belongs to user 12345 and not to user 0, who runs this");
  EXPECT_FALSE(readOwnFile(file));
}

TEST_F(Files, a_pipe_in_place_of_a_file_does_not_hold_up_its_reader) {
  std::string pipe = folder + "/x";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(**readOwnFile(pipe), "");
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
