#include "support/Hash.h"

#include <gtest/gtest.h>

using namespace tilewright;

TEST(Hash, is_the_start_of_sha256) {
  EXPECT_EQ(hashBytes("").hex(), "e3b0c44298fc1c149afbf4c8996fb924");
  EXPECT_EQ(hashBytes("abc").hex(), "ba7816bf8f01cfea414140de5dae2223");
  EXPECT_EQ(hashBytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039");
  EXPECT_EQ(hashBytes(std::string(1000000, 'a')).hex(), "cdc76e5c9914fb9281a1c7e284d73e67");
}

TEST(Hash, does_not_depend_on_how_bytes_are_split) {
  std::string text(300, 'x');
  Hasher hasher;
  for (char c : text)
    hasher.add({&c, 1});
  EXPECT_EQ(hasher.finish(), hashBytes(text));
}

TEST(Hash, fields_have_borders) {
  EXPECT_NE(Hasher().addField("ab").addField("c").finish(),
            Hasher().addField("a").addField("bc").finish());
}

TEST(Checksum, notices_every_changed_byte) {
  std::string text(100, 'x');
  uint64_t sum = checksum(text);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 0x40;
    EXPECT_NE(checksum(damaged), sum) << "byte " << i;
    EXPECT_NE(checksum(text.substr(0, i)), sum) << "cut to " << i;
  }
  EXPECT_NE(checksum(text + '\0'), sum);
  EXPECT_NE(checksum(""), checksum(std::string(1, '\0')));
}
