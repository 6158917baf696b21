#include "tools/driver/BuildId.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <link.h>

using namespace tilewright;
using llvm::StringRef;

/// The id in a segment of notes: each has a header, a name and contents, aligned.
static StringRef idIn(StringRef notes, uint64_t alignment) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes.data());
    uint64_t contents = llvm::alignTo(sizeof(*note) + note->n_namesz, alignment);
    StringRef name = notes.substr(sizeof(*note), note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && name == StringRef("GNU\0", 4))
      return notes.substr(contents, note->n_descsz);
    notes = notes.substr(llvm::alignTo(contents + note->n_descsz, alignment));
  }
  return "";
}

/// Whether this object holds the code that is running, whose id goes to `result`.
static int visit(dl_phdr_info *object, size_t, void *result) {
  llvm::ArrayRef<ElfW(Phdr)> segments(object->dlpi_phdr, object->dlpi_phnum);
  auto self = reinterpret_cast<ElfW(Addr)>(&visit) - object->dlpi_addr;
  if (llvm::none_of(segments, [&](const ElfW(Phdr) & segment) {
        return segment.p_type == PT_LOAD && self - segment.p_vaddr < segment.p_memsz;
      }))
    return 0;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_NOTE)
      continue;
    auto *start = reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr);
    StringRef id = idIn({start, segment.p_memsz}, std::max<uint64_t>(4, segment.p_align));
    if (!id.empty())
      *static_cast<std::string *>(result) = llvm::toHex(id, /*LowerCase=*/true);
  }
  return 1;
}

const std::string &driver::buildId() {
  static const std::string id = [] {
    std::string found;
    dl_iterate_phdr(visit, &found);
    return found;
  }();
  return id;
}
