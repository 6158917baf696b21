//===- ElfFile.h - Sections and symbols of a cubin --------------*- C++ -*-===//

#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>

namespace tilewright::runtime {

/// A 64-bit ELF file in memory. Reads past the end give nothing, so a damaged file cannot make us
/// leave the buffer.
class ElfFile {
public:
  explicit ElfFile(std::string_view bytes) : bytes(bytes) {}

  /// Without this, nothing else may be asked.
  bool isValid() const;

  template <typename T> static std::optional<T> read(std::string_view from, uint64_t offset) {
    if (offset > from.size() || from.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, from.data() + offset, sizeof(T));
    return value;
  }

  std::optional<Elf64_Shdr> section(uint64_t index) const;
  std::optional<Elf64_Shdr> section(std::string_view name) const;

  /// The bytes of a section; empty if it has none in the file.
  std::string_view contents(const std::optional<Elf64_Shdr> &section) const;

  /// The instructions of kernel `entry`.
  std::string_view code(std::string_view entry) const;

  /// The string at `offset` of a table of strings.
  static std::string_view string(std::string_view table, uint64_t offset);

  /// The index in .symtab of the function called `name`.
  std::optional<uint32_t> function(std::string_view name) const;

private:
  template <typename T> std::optional<T> at(uint64_t offset) const {
    return read<T>(bytes, offset);
  }

  std::string_view bytes;
};

} // namespace tilewright::runtime
