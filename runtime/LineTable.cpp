//===- LineTable.cpp - Lines that machine code comes from -----------------===//

#include "runtime/LineTable.h"

#include "runtime/ElfFile.h"
#include "runtime/MachineCode.h"

#include <algorithm>

namespace tilewright::runtime {

namespace {

enum StandardOpcode : uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
enum ExtendedOpcode : uint8_t { kSetAddress = 2, kInlinedCall = 0x90 };

/// Reads numbers one after the other; zeros past the end.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}

  bool atEnd() const { return bytes.empty(); }

  template <typename T> T fixed() {
    T value = ElfFile::read<T>(bytes, 0).value_or(T());
    skip(sizeof(T));
    return value;
  }

  /// LEB128, seven bits a byte.
  uint64_t number() {
    unsigned bits;
    return variable(bits);
  }
  int64_t signedNumber() {
    unsigned bits;
    uint64_t value = variable(bits);
    bool negative = bits > 0 && bits < 64 && (value >> (bits - 1) & 1);
    return static_cast<int64_t>(negative ? value | ~uint64_t(0) << bits : value);
  }

  std::string_view string() {
    std::string_view text = ElfFile::string(bytes, 0);
    skip(text.size() + 1);
    return text;
  }

  /// The next `size` bytes.
  Reader part(uint64_t size) {
    Reader result(bytes.substr(0, size));
    skip(size);
    return result;
  }

  void skip(uint64_t size) { bytes.remove_prefix(std::min<uint64_t>(size, bytes.size())); }

private:
  uint64_t variable(unsigned &bits) {
    uint64_t value = 0;
    bits = 0;
    for (uint8_t byte = 0x80; byte & 0x80 && !atEnd(); bits += 7) {
      byte = fixed<uint8_t>();
      if (bits < 64)
        value |= uint64_t(byte & 0x7f) << bits;
    }
    return value;
  }

  std::string_view bytes;
};

/// From `address` on, code is of this line.
struct Row {
  uint64_t address = 0, file = 1;
  int64_t line = 1;
  uint64_t caller = 0; ///< The row, counted from 1, of the call that it is inlined at.
};

/// A line program: a machine that appends rows.
class LineProgram {
public:
  explicit LineProgram(Reader bytes) : unit(bytes) {
    auto version = unit.fixed<uint16_t>();
    if (version != 2 && version != 3)
      return;
    readHeader(unit.part(unit.fixed<uint32_t>()));
    while (!unit.atEnd())
      step();
  }

  /// The lines in `file` of the first `count` instructions. Of several rows for one address the
  /// last counts.
  std::vector<unsigned> lines(std::string_view file, size_t count) const {
    std::vector<unsigned> result(count);
    for (size_t i = 0; i < rows.size(); ++i) {
      size_t end = i + 1 < rows.size() ? rows[i + 1].address / kInstructionBytes : count;
      const Row &place = outermost(rows[i]);
      if (place.file - 1 < files.size() && files[place.file - 1] == file)
        for (size_t at = rows[i].address / kInstructionBytes; at < std::min(end, count); ++at)
          result[at] = static_cast<unsigned>(place.line);
    }
    return result;
  }

private:
  void readHeader(Reader header) {
    instructionBytes = header.fixed<uint8_t>();
    header.skip(1); // whether rows are statements
    lineBase = header.fixed<int8_t>();
    lineRange = std::max<uint8_t>(1, header.fixed<uint8_t>());
    opcodeBase = header.fixed<uint8_t>();
    for (unsigned opcode = 1; opcode < opcodeBase; ++opcode)
      operandCounts.push_back(header.fixed<uint8_t>());
    while (!header.string().empty()) { // folders
    }
    for (std::string_view name = header.string(); !name.empty(); name = header.string()) {
      files.push_back(name);
      for (int field = 0; field < 3; ++field) // folder, time, size
        header.number();
    }
  }

  void step() {
    auto opcode = unit.fixed<uint8_t>();
    if (opcode >= opcodeBase) {
      advance((opcode - opcodeBase) / lineRange);
      row.line += lineBase + static_cast<int>((opcode - opcodeBase) % lineRange);
      rows.push_back(row);
    } else if (opcode == kExtended) {
      stepExtended(unit.part(unit.number()));
    } else if (opcode == kCopy) {
      rows.push_back(row);
    } else if (opcode == kAdvancePc) {
      advance(unit.number());
    } else if (opcode == kAdvanceLine) {
      row.line += unit.signedNumber();
    } else if (opcode == kSetFile) {
      row.file = unit.number();
    } else if (opcode == kConstAddPc) {
      advance((255 - opcodeBase) / lineRange);
    } else if (opcode == kFixedAdvancePc) {
      row.address += unit.fixed<uint16_t>();
    } else {
      for (unsigned i = 0; i < operandCounts[opcode - 1]; ++i)
        unit.number();
    }
  }

  void stepExtended(Reader operands) {
    auto opcode = operands.fixed<uint8_t>();
    if (opcode == kSetAddress)
      row.address = operands.fixed<uint64_t>();
    else if (opcode == kInlinedCall)
      row.caller = operands.number();
  }

  void advance(uint64_t instructions) { row.address += instructions * instructionBytes; }

  /// The call that a row's code comes from in the end. Calls have rows before what is inlined
  /// there.
  const Row &outermost(const Row &inner) const {
    const Row *place = &inner;
    while (place->caller > 0 && rows.data() + place->caller <= place)
      place = &rows[place->caller - 1];
    return *place;
  }

  Reader unit;
  uint64_t instructionBytes = 1;
  int lineBase = 0;
  unsigned lineRange = 1;
  unsigned opcodeBase = 1;
  std::vector<unsigned> operandCounts;
  std::vector<std::string_view> files;
  Row row;
  std::vector<Row> rows;
};

} // namespace

std::vector<unsigned> linesOf(std::string_view cubin, std::string_view entry,
                              std::string_view file) {
  ElfFile elf(cubin);
  if (!elf.isValid())
    return {};
  Reader table(elf.contents(elf.section(".debug_line")));
  size_t count = elf.code(entry).size() / kInstructionBytes;
  if (table.atEnd())
    return {};
  return LineProgram(table.part(table.fixed<uint32_t>()))
      .lines(file.substr(file.rfind('/') + 1), count);
}

} // namespace tilewright::runtime
