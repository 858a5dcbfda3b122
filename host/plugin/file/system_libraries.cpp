#include "plugin/file/system_libraries.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

namespace host::plugin {
namespace fs = std::filesystem;
namespace {

void add_folders_of(const fs::path& file, std::vector<fs::path>& folders) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    line.erase(std::find(line.begin(), line.end(), '#'), line.end());
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.pop_back();
    if (line.starts_with('/')) folders.emplace_back(line);
  }
}

std::vector<fs::path> configured_folders() {
  std::vector<fs::path> folders;
  add_folders_of("/etc/ld.so.conf", folders);
  std::error_code error;  // where there is no such folder, there are no such files
  for (const auto& entry : fs::directory_iterator("/etc/ld.so.conf.d", error)) {
    if (entry.path().extension() == ".conf") add_folders_of(entry.path(), folders);
  }
  for (const char* built_in : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                               "/usr/lib64", "/lib", "/usr/lib"}) {
    folders.emplace_back(built_in);
  }
  return folders;
}

// As the loader does it: what is of another class or machine is passed over.
bool is_library(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  Elf64_Ehdr header{};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  return in && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
}

}  // namespace

const SystemLibraries& SystemLibraries::of_machine() {
  static const SystemLibraries libraries(configured_folders());
  return libraries;
}

std::optional<fs::path> SystemLibraries::find(
    std::string_view name, const std::vector<std::string_view>& run_paths) const {
  if (name.find('/') != name.npos)
    return is_library(fs::path(name)) ? std::optional<fs::path>(name) : std::nullopt;
  for (const std::string_view path : run_paths) {
    for (std::size_t at = 0; at <= path.size();) {  // a list, parted by colons
      const std::size_t end = std::min(path.find(':', at), path.size());
      const std::string_view folder = path.substr(at, end - at);
      at = end + 1;
      if (!folder.starts_with('/') || folder.find('$') != folder.npos) continue;
      if (is_library(fs::path(folder) / name)) return fs::path(folder) / name;
    }
  }
  for (const fs::path& folder : folders_) {
    if (is_library(folder / name)) return folder / name;
  }
  return std::nullopt;
}

}  // namespace host::plugin
