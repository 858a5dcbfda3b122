#include "plugin/file/elf_check.h"

#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace host::plugin {
namespace {

constexpr std::size_t kMostHeaders = 4096;

Error refused(const char* why) {
  return Error{ErrorKind::PluginFault, why};
}

bool inside(std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
  return offset <= size && length <= size - offset;
}

template <class T>
bool read_at(int fd, std::uint64_t offset, T* to, std::size_t count) {
  const auto bytes = static_cast<ssize_t>(count * sizeof(T));
  return ::pread(fd, to, static_cast<std::size_t>(bytes), static_cast<off_t>(offset)) == bytes;
}

Result<void> check_identity(const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return refused("is no ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return refused("is not a 64-bit little-endian library");
  }
  if (header.e_machine != EM_X86_64) return refused("is built for another machine than x86-64");
  if (header.e_type != ET_DYN) return refused("is no shared library: link it with -shared");
  return {};
}

Result<void> check_segments(int fd, const Elf64_Ehdr& header, std::uint64_t size) {
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return refused("has no program headers");
  const std::uint64_t length = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (!inside(header.e_phoff, length, size))
    return refused("is cut short: its program headers lie beyond its end");
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(fd, header.e_phoff, segments.data(), segments.size()))
    return refused("cannot be read");
  bool dynamic = false;
  for (const Elf64_Phdr& segment : segments) {
    if (!inside(segment.p_offset, segment.p_filesz, size))
      return refused("is cut short: a segment lies beyond its end");
    if (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz)
      return refused("has a broken segment");
    dynamic = dynamic || segment.p_type == PT_DYNAMIC;
  }
  return dynamic ? Result<void>() : refused("has no dynamic section");
}

Result<void> check_sections(int fd, const Elf64_Ehdr& header, std::uint64_t size) {
  if (header.e_shnum == 0) return {};  // stripped of them: allowed
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > kMostHeaders)
    return refused("has broken section headers");
  const std::uint64_t length = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (!inside(header.e_shoff, length, size))
    return refused("is cut short: its section headers lie beyond its end");
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(fd, header.e_shoff, sections.data(), sections.size()))
    return refused("cannot be read");
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
    if (!inside(section.sh_offset, section.sh_size, size))
      return refused("is cut short: a section lies beyond its end");
  }
  return {};
}

}  // namespace

Result<void> check_elf(int fd, std::uint64_t size) {
  Elf64_Ehdr header;
  if (size == 0) return refused("is empty");
  if (size < sizeof header || !read_at(fd, 0, &header, 1))
    return refused("is too short for a library");
  HOST_TRY(check_identity(header));
  HOST_TRY(check_segments(fd, header, size));
  return check_sections(fd, header, size);
}

}  // namespace host::plugin
