//===- CubinInfo.cpp - Resources of a compiled kernel ---------------------===//
//
// `.nv.info` is a list of records {format, attribute, size, payload}. The per-function ones of
// format 4 hold a symbol index and a value. `.text`'s sh_info has register counts too, but not on
// sm_90a.
//
//===----------------------------------------------------------------------===//

#include "runtime/CubinInfo.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <elf.h>
#include <optional>

namespace tilewright::runtime {

namespace {

enum : uint8_t { kFormatSized = 4 };
constexpr uint64_t kReservedSharedBytes = 1024;
enum : uint8_t { kAttrFrameSize = 0x11, kAttrMinStackSize = 0x12, kAttrRegisters = 0x2f };

/// Reads past the end give nothing, so a damaged file cannot make us leave the buffer.
class ElfFile {
public:
  explicit ElfFile(std::string_view bytes) : bytes(bytes) {}

  bool isValid() const {
    std::optional<Elf64_Ehdr> header = at<Elf64_Ehdr>(0);
    return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64;
  }

  template <typename T> std::optional<T> at(uint64_t offset) const {
    return read<T>(bytes, offset);
  }

  template <typename T> static std::optional<T> read(std::string_view from, uint64_t offset) {
    if (offset > from.size() || from.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, from.data() + offset, sizeof(T));
    return value;
  }

  std::optional<Elf64_Shdr> section(uint64_t index) const {
    auto header = *at<Elf64_Ehdr>(0);
    return index < header.e_shnum ? at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr))
                                  : std::nullopt;
  }

  std::optional<Elf64_Shdr> section(std::string_view name) const {
    auto header = *at<Elf64_Ehdr>(0);
    std::string_view names = contents(section(header.e_shstrndx));
    for (uint64_t i = 0; i < header.e_shnum; ++i)
      if (std::optional<Elf64_Shdr> found = section(i);
          found && string(names, found->sh_name) == name)
        return found;
    return std::nullopt;
  }

  std::string_view contents(const std::optional<Elf64_Shdr> &section) const {
    if (!section || section->sh_type == SHT_NOBITS || section->sh_offset > bytes.size() ||
        bytes.size() - section->sh_offset < section->sh_size)
      return {};
    return bytes.substr(section->sh_offset, section->sh_size);
  }

  static std::string_view string(std::string_view table, uint64_t offset) {
    if (offset >= table.size())
      return {};
    std::string_view rest = table.substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  /// The index in .symtab of the symbol called `name`.
  std::optional<uint32_t> symbol(std::string_view name) const {
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

private:
  std::string_view bytes;
};

struct InfoRecord {
  uint8_t format;
  uint8_t attribute;
  uint16_t size; ///< Of the payload, for kFormatSized; otherwise the payload itself.
};

} // namespace

ErrorOr<CubinInfo> readCubinInfo(std::string_view cubin, std::string_view entry) {
  ElfFile elf(cubin);
  if (!elf.isValid())
    return Error{"compiled code is not a 64-bit ELF file"};
  std::optional<uint32_t> symbol = elf.symbol(entry);
  if (!symbol)
    return Error{"compiled code has no kernel `" + std::string(entry) + "`"};
  CubinInfo info;
  std::string_view records = elf.contents(elf.section(".nv.info"));
  for (uint64_t offset = 0; offset < records.size();) {
    auto record = ElfFile::read<InfoRecord>(records, offset);
    if (!record)
      break;
    offset += sizeof(InfoRecord);
    if (record->format != kFormatSized)
      continue;
    auto owner = ElfFile::read<uint32_t>(records, offset);
    auto value = ElfFile::read<uint32_t>(records, offset + 4);
    offset += record->size;
    if (!value || *owner != *symbol)
      continue;
    if (record->attribute == kAttrRegisters)
      info.registers = *value;
    else if (record->attribute == kAttrFrameSize)
      info.frameBytes = *value;
    else if (record->attribute == kAttrMinStackSize)
      info.minStackBytes = *value;
  }
  if (auto shared = elf.section(".nv.shared." + std::string(entry))) {
    // From sm_90 on the section starts with a part that belongs to the system, and says so.
    uint64_t reserved = elf.section(".nv.shared.reserved.0") ? kReservedSharedBytes : 0;
    info.staticSharedBytes = static_cast<unsigned>(std::max(shared->sh_size, reserved) - reserved);
  }
  info.productLoops = scanLoops(elf.contents(elf.section(".text." + std::string(entry))));
  return info;
}

/// The number that stands right before `words` in `line`.
static std::optional<unsigned> numberBefore(std::string_view line, std::string_view words) {
  size_t end = line.find(words);
  if (end == std::string_view::npos)
    return std::nullopt;
  size_t start = end;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9')
    --start;
  unsigned value = 0;
  auto [next, code] = std::from_chars(line.data() + start, line.data() + end, value);
  return code == std::errc() ? std::optional(value) : std::nullopt;
}

template <typename F> static void forEachLine(std::string_view text, F function) {
  while (!text.empty()) {
    size_t end = text.find('\n');
    function(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
}

ErrorOr<SpillInfo> parseSpills(std::string_view log, std::string_view entry) {
  // ptxas info    : Function properties for NAME
  //     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
  std::optional<SpillInfo> result;
  bool ours = false;
  forEachLine(log, [&](std::string_view line) {
    static constexpr std::string_view kHeader = "Function properties for ";
    if (size_t start = line.find(kHeader); start != std::string_view::npos) {
      ours = line.substr(start + kHeader.size()) == entry;
      return;
    }
    auto stores = numberBefore(line, " bytes spill stores");
    auto loads = numberBefore(line, " bytes spill loads");
    if (ours && stores && loads)
      result = SpillInfo{*stores, *loads};
  });
  if (!result)
    return Error{"the compilation log has no report on `" + std::string(entry) + "`"};
  return *result;
}

std::vector<std::string> performanceNotes(std::string_view log) {
  std::vector<std::string> notes;
  forEachLine(log, [&](std::string_view line) {
    size_t code = line.find("(C75");
    if (code != std::string_view::npos && line.find(')', code) == code + 6)
      notes.emplace_back(line);
  });
  return notes;
}

} // namespace tilewright::runtime
