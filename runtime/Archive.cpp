//===- Archive.cpp - Named byte strings in one checked file ---------------===//
//
// Magic, checksum of the rest, then per item: name length, name, byte length, bytes. Lengths are
// 8 bytes, little-endian.
//
//===----------------------------------------------------------------------===//

#include "runtime/Archive.h"

#include "support/Hash.h"

#include <cstring>
#include <optional>

namespace tilewright::runtime {

static constexpr std::string_view kMagic = "tilewright 1\n";
static constexpr size_t kChecksumSize = 32;

static void putField(std::string &out, std::string_view bytes) {
  for (int shift = 0; shift < 64; shift += 8)
    out += static_cast<char>(uint64_t(bytes.size()) >> shift);
  out += bytes;
}

static std::optional<std::string_view> takeField(std::string_view &from) {
  if (from.size() < 8)
    return std::nullopt;
  uint64_t size = 0;
  for (size_t i = 0; i < 8; ++i)
    size |= uint64_t(static_cast<uint8_t>(from[i])) << (8 * i);
  from.remove_prefix(8);
  if (size > from.size())
    return std::nullopt;
  std::string_view field = from.substr(0, size);
  from.remove_prefix(size);
  return field;
}

void Archive::add(std::string name, std::string bytes) {
  entries.emplace_back(std::move(name), std::move(bytes));
}

const std::string *Archive::find(std::string_view name) const {
  for (const auto &[key, bytes] : entries)
    if (key == name)
      return &bytes;
  return nullptr;
}

std::string Archive::pack() const {
  std::string body;
  for (const auto &[name, bytes] : entries) {
    putField(body, name);
    putField(body, bytes);
  }
  return std::string(kMagic) + hashBytes(body).hex() + body;
}

ErrorOr<Archive> Archive::unpack(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < kMagic.size() + kChecksumSize)
    return Error{"file is not a Tilewright archive of this version"};
  std::string_view checksum = file.substr(kMagic.size(), kChecksumSize);
  std::string_view body = file.substr(kMagic.size() + kChecksumSize);
  if (hashBytes(body).hex() != checksum)
    return Error{"archive is damaged: its checksum differs"};
  Archive archive;
  while (!body.empty()) {
    std::optional<std::string_view> name = takeField(body);
    std::optional<std::string_view> bytes = name ? takeField(body) : std::nullopt;
    if (!bytes)
      return Error{"archive is damaged: an item is cut short"};
    archive.add(std::string(*name), std::string(*bytes));
  }
  return archive;
}

} // namespace tilewright::runtime
