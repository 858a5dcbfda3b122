// A file that is mapped into memory for reading only. Use MappedFile only for files that no process
// truncates while they are mapped: the host's private copies and the system's libraries.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>

#include <optional>
#include <string_view>
#include <utility>

namespace host::plugin {

class MappedFile {
 public:
  // Returns nullopt if the file cannot be mapped, for example because it is empty.
  static std::optional<MappedFile> of(int fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0) return std::nullopt;
    const auto size = static_cast<std::size_t>(info.st_size);
    void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) return std::nullopt;
    return MappedFile(at, size);
  }
  MappedFile(MappedFile&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), size_(other.size_) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    if (at_) ::munmap(at_, size_);
  }

  std::string_view bytes() const { return {static_cast<const char*>(at_), size_}; }

 private:
  MappedFile(void* at, std::size_t size) : at_(at), size_(size) {}

  void* at_;
  std::size_t size_;
};

}  // namespace host::plugin
