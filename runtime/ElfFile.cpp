//===- ElfFile.cpp - Sections and symbols of a cubin ----------------------===//

#include "runtime/ElfFile.h"

#include <string>

namespace tilewright::runtime {

bool ElfFile::isValid() const {
  std::optional<Elf64_Ehdr> header = at<Elf64_Ehdr>(0);
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
         header->e_ident[EI_CLASS] == ELFCLASS64;
}

std::optional<Elf64_Shdr> ElfFile::section(uint64_t index) const {
  auto header = *at<Elf64_Ehdr>(0);
  return index < header.e_shnum ? at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr))
                                : std::nullopt;
}

std::optional<Elf64_Shdr> ElfFile::section(std::string_view name) const {
  auto header = *at<Elf64_Ehdr>(0);
  std::string_view names = contents(section(header.e_shstrndx));
  for (uint64_t i = 0; i < header.e_shnum; ++i)
    if (std::optional<Elf64_Shdr> found = section(i);
        found && string(names, found->sh_name) == name)
      return found;
  return std::nullopt;
}

std::string_view ElfFile::contents(const std::optional<Elf64_Shdr> &section) const {
  if (!section || section->sh_type == SHT_NOBITS || section->sh_offset > bytes.size() ||
      bytes.size() - section->sh_offset < section->sh_size)
    return {};
  return bytes.substr(section->sh_offset, section->sh_size);
}

std::string_view ElfFile::code(std::string_view entry) const {
  return contents(section(".text." + std::string(entry)));
}

std::string_view ElfFile::string(std::string_view table, uint64_t offset) {
  if (offset >= table.size())
    return {};
  std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::optional<uint32_t> ElfFile::function(std::string_view name) const {
  std::optional<Elf64_Shdr> table = section(".symtab");
  if (!table)
    return std::nullopt;
  std::string_view symbols = contents(table);
  std::string_view names = contents(section(table->sh_link));
  for (uint32_t i = 0; i < symbols.size() / sizeof(Elf64_Sym); ++i)
    if (auto entry = read<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym));
        ELF64_ST_TYPE(entry->st_info) == STT_FUNC && string(names, entry->st_name) == name)
      return i;
  return std::nullopt;
}

} // namespace tilewright::runtime
