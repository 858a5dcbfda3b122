#include "plugin/file/build_id.h"

#include <fcntl.h>

#include "base/unique_fd.h"
#include "plugin/file/elf_file.h"
#include "plugin/file/mapped_file.h"

namespace host::plugin {

std::string build_id_of(const std::filesystem::path& library) {
  const UniqueFd fd(::open(library.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto file = fd ? MappedFile::of(fd.get()) : std::nullopt;
  const auto tables = file ? ElfTables::open(file->bytes()) : Error{ErrorKind::Io, "no file"};
  return tables ? tables->build_id() : std::string();
}

}  // namespace host::plugin
