//===- Hash.cpp - 128-bit content hash (SHA-256, FIPS 180-4) --------------===//

#include "support/Hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilewright {

static constexpr std::array<uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t loadBigEndian(const uint8_t *p) {
  return uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 | p[3];
}

std::string Hash128::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

void Hasher::addBlock(const uint8_t *block) {
  std::array<uint32_t, 64> w;
  for (size_t i = 0; i < 16; ++i)
    w[i] = loadBigEndian(block + 4 * i);
  for (size_t i = 16; i < 64; ++i) {
    uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[i] + w[i];
    uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  std::array<uint32_t, 8> result{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i)
    state[i] += result[i];
}

Hasher &Hasher::add(std::string_view bytes) {
  totalSize += bytes.size();
  while (!bytes.empty()) {
    size_t count = std::min(bytes.size(), pending.size() - pendingSize);
    std::memcpy(pending.data() + pendingSize, bytes.data(), count);
    pendingSize += count;
    bytes.remove_prefix(count);
    if (pendingSize == pending.size()) {
      addBlock(pending.data());
      pendingSize = 0;
    }
  }
  return *this;
}

Hasher &Hasher::addField(std::string_view bytes) {
  std::array<char, 8> size;
  for (size_t i = 0; i < size.size(); ++i)
    size[i] = static_cast<char>(uint64_t(bytes.size()) >> (8 * i));
  return add({size.data(), size.size()}).add(bytes);
}

Hash128 Hasher::finish() {
  uint64_t bits = totalSize * 8;
  add(std::string_view("\x80", 1));
  while (pendingSize != 56)
    add(std::string_view("\0", 1));
  for (int shift = 56; shift >= 0; shift -= 8) {
    char byte = static_cast<char>(bits >> shift);
    add({&byte, 1});
  }
  Hash128 result;
  for (size_t i = 0; i < result.bytes.size(); ++i)
    result.bytes[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return result;
}

Hash128 hashBytes(std::string_view bytes) { return Hasher().add(bytes).finish(); }

/// One to one in `sum` and in `word`, so that a difference stays one.
static uint64_t mix(uint64_t sum, uint64_t word) {
  return std::rotl((sum ^ word) * 0x9e3779b97f4a7c15, 29);
}

uint64_t checksum(std::string_view bytes) {
  std::array<uint64_t, 4> sums{1, 2, 3, 4}; // apart, so that they are computed at once
  uint64_t size = bytes.size();
  while (bytes.size() >= sizeof(sums)) {
    std::array<uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data(), sizeof(words));
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = mix(sums[i], words[i]);
    bytes.remove_prefix(sizeof(sums));
  }
  std::array<uint64_t, 4> rest{};
  std::memcpy(rest.data(), bytes.data(), bytes.size());
  uint64_t result = size;
  for (size_t i = 0; i < sums.size(); ++i)
    result = mix(result, mix(sums[i], rest[i]));
  return result;
}

} // namespace tilewright
