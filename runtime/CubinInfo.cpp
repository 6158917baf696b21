//===- CubinInfo.cpp - Resources of a compiled kernel ---------------------===//
//
// `.nv.info` is a list of records {format, attribute, size, payload}. The per-function ones of
// format 4 hold a symbol index and a value. `.text`'s sh_info has register counts too, but not on
// sm_90a.
//
//===----------------------------------------------------------------------===//

#include "runtime/CubinInfo.h"

#include "runtime/ElfFile.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tilewright::runtime {

namespace {

enum : uint8_t { kFormatSized = 4 };
constexpr uint64_t kReservedSharedBytes = 1024;
enum : uint8_t { kAttrFrameSize = 0x11, kAttrMinStackSize = 0x12, kAttrRegisters = 0x2f };

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
  std::optional<uint32_t> symbol = elf.function(entry);
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
  info.productLoops = scanLoops(decode(elf.code(entry)));
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
