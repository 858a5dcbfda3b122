#include "sandbox/programs.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace host::sandbox {
namespace {

constexpr const char* kFolders[] = {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/",
                                    "/usr/bin/",        "/sbin/",          "/bin/"};
constexpr unsigned kMostSegments = 64;
constexpr unsigned kMostScripts = 4;      // an interpreter may be a script itself
constexpr std::size_t kMostOfLine = 256;  // the kernel reads no more after "#!"

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

// As execvp() looks it up; empty: there is none.
std::string file_of(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + command;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// The words after "#!"; empty: the file is no script.
std::vector<std::string> interpreter_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(kMostOfLine, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  if (!line.starts_with("#!")) return {};
  std::istringstream text(line.substr(2, line.find('\n') - 2));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// `env node`, `env -S node --flag`
std::string program_of_env(const std::vector<std::string>& words) {
  const bool is_env = !words.empty() && words.front().ends_with("/env");
  if (!is_env) return {};
  const std::size_t at = words.size() > 1 && words[1] == "-S" ? 2 : 1;
  return at < words.size() ? words[at] : std::string();
}

void add_program(const std::string& file, std::vector<std::string>& files) {
  if (file.empty()) return;
  files.push_back(file);
  const std::string loader = loader_of(file);
  if (!loader.empty()) files.push_back(loader);
}

}  // namespace

std::vector<std::string> files_of_command(const std::string& command) {
  std::vector<std::string> files;
  std::string file = file_of(command);
  for (unsigned scripts = 0; !file.empty() && scripts < kMostScripts; ++scripts) {
    add_program(file, files);
    const std::vector<std::string> words = interpreter_of(file);
    file = words.empty() ? std::string() : words.front();
    const std::string by_env = program_of_env(words);
    if (by_env.empty()) continue;
    add_program(file, files);
    file = file_of(by_env);
  }
  return files;
}

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
