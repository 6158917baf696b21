//===- Archive.cpp - Named byte strings in one checked file ---------------===//
//
// Magic, checksum of the rest, then per item: name length, name, byte length, bytes. Numbers are
// 8 bytes, little-endian.
//
//===----------------------------------------------------------------------===//

#include "runtime/Archive.h"

#include "support/Hash.h"

#include <algorithm>

namespace tilewright::runtime {

static constexpr std::string_view kMagic = "tilewright 2\n";

static void putNumber(std::string &out, uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8)
    out += static_cast<char>(number >> shift);
}

static std::optional<uint64_t> takeNumber(std::string_view &from) {
  if (from.size() < 8)
    return std::nullopt;
  uint64_t number = 0;
  for (size_t i = 0; i < 8; ++i)
    number |= uint64_t(static_cast<uint8_t>(from[i])) << (8 * i);
  from.remove_prefix(8);
  return number;
}

static void putField(std::string &out, std::string_view bytes) {
  putNumber(out, bytes.size());
  out += bytes;
}

static std::optional<std::string_view> takeField(std::string_view &from) {
  std::optional<uint64_t> size = takeNumber(from);
  if (!size || *size > from.size())
    return std::nullopt;
  std::string_view field = from.substr(0, *size);
  from.remove_prefix(*size);
  return field;
}

void Archive::add(std::string name, std::string bytes) {
  entries.emplace_back(std::move(name), std::move(bytes));
}

std::optional<std::string> Archive::take(std::string_view name) {
  const std::string *bytes = find(name);
  return bytes ? std::optional(std::move(const_cast<std::string &>(*bytes))) : std::nullopt;
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
  std::string file(kMagic);
  putNumber(file, checksum(body));
  return file + body;
}

ErrorOr<Archive> Archive::unpack(std::string_view file) {
  std::string_view body = file;
  body.remove_prefix(std::min(kMagic.size(), file.size()));
  std::optional<uint64_t> expected = takeNumber(body);
  if (!file.starts_with(kMagic) || !expected)
    return Error{"file is not a Tilewright archive of this version"};
  if (checksum(body) != *expected)
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
