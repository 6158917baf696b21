//===- Hash.h - 128-bit content hash ----------------------------*- C++ -*-===//
//
// SHA-256 cut to its first 16 bytes: names cache entries. A cryptographic
// hash because a collision would silently run the wrong kernel; at some 200 MB/s a kernel's text
// costs well under a millisecond, next to a compilation of tens of milliseconds.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

struct Hash128 {
  std::array<uint8_t, 16> bytes{};

  /// 32 lower-case hexadecimal digits.
  std::string hex() const;

  bool operator==(const Hash128 &) const = default;
};

/// Hashes a sequence of byte strings. One hasher gives one hash.
class Hasher {
public:
  /// Appends bytes; `add("ab")` equals `add("a").add("b")`.
  Hasher &add(std::string_view bytes);

  /// Appends a length and the bytes, so that the borders between fields count.
  Hasher &addField(std::string_view bytes);

  Hash128 finish();

private:
  void addBlock(const uint8_t *block);

  std::array<uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending{};
  size_t pendingSize = 0;
  uint64_t totalSize = 0;
};

/// The hash of one byte string.
Hash128 hashBytes(std::string_view bytes);

/// Detects accidental damage, not an attack, at several GB/s. It detects every change within 8
/// bytes, and others except for one in 2^64.
uint64_t checksum(std::string_view bytes);

} // namespace tilewright
