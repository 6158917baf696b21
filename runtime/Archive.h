//===- Archive.h - Named byte strings in one checked file -------*- C++ -*-===//
//
// The format of cache entries and of ahead-of-time bundles: one file, so that it is written and
// replaced as a whole, with a checksum, so that damage is noticed rather than executed.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "support/ErrorOr.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::runtime {

class Archive {
public:
  /// Adds a byte string; names need not be unique, find gives the first.
  void add(std::string name, std::string bytes);

  /// The byte string with this name; null if there is none.
  const std::string *find(std::string_view name) const;

  /// The same, leaving it empty.
  std::optional<std::string> take(std::string_view name);

  const std::vector<std::pair<std::string, std::string>> &items() const { return entries; }

  /// The file's bytes.
  std::string pack() const;

  /// Reads what pack wrote. Fails if a bit differs.
  static ErrorOr<Archive> unpack(std::string_view file);

private:
  std::vector<std::pair<std::string, std::string>> entries;
};

} // namespace tilewright::runtime
