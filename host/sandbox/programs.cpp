#include "sandbox/programs.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <fstream>

namespace host::sandbox {
namespace {

constexpr const char* kFolders[] = {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/",
                                    "/usr/bin/",        "/sbin/",          "/bin/"};
constexpr unsigned kMostSegments = 64;

template <class Record>
bool read_at(std::ifstream& file, std::uint64_t at, Record& record) {
  file.seekg(static_cast<std::streamoff>(at));
  file.read(reinterpret_cast<char*>(&record), sizeof record);
  return file.good();
}

// What the kernel loads first; empty: it needs none, or is no program of this machine.
std::string loader_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr))) {
    return {};
  }
  for (unsigned i = 0; i < std::min<unsigned>(header.e_phnum, kMostSegments); ++i) {
    ElfW(Phdr) segment{};
    if (!read_at(file, header.e_phoff + i * sizeof segment, segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz > PATH_MAX) continue;
    std::string loader(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(loader.data(), static_cast<std::streamsize>(loader.size()));
    return file.good() ? loader.c_str() : std::string();
  }
  return {};
}

}  // namespace

std::vector<std::string> program_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    for (const char* folder : kFolders) {
      const std::string file = folder + name;
      if (::access(file.c_str(), X_OK) != 0) continue;
      files.push_back(file);
      const std::string loader = loader_of(file);
      const bool known = std::find(files.begin(), files.end(), loader) != files.end();
      if (!loader.empty() && !known) files.push_back(loader);
    }
  }
  return files;
}

}  // namespace host::sandbox
