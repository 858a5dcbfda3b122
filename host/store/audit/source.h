// Reads the audit file as a stream of whole lines, from a recorded position. Hosts can append to
// the file while it is read. Only one thread at a time may call the functions of this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::store {

struct AuditPlace {
  // The first bytes of an audit file identify the file. The inode does not identify the file,
  // because a new file often gets the inode of a deleted file, and a restored copy has a new inode.
  std::string head;
  std::uint64_t offset = 0;   // all bytes before this position were read
  bool in_long_line = false;  // true: the offset is inside a line that is skipped
};

class AuditSource {
 public:
  // Returns nullopt if there is no such file. Returns an Error if the file is not a regular file,
  // because reading must never wait.
  static Result<std::optional<AuditSource>> open(const std::filesystem::path& file);

  // Says how the audit file compares with the file in which the position was recorded. `Same` means
  // the same file, not truncated before the position. `Cut` means the same file, but truncated
  // before the position, for example after a power loss. `Other` means a different file, or an
  // emptied file.
  enum class Known { Same, Cut, Other };
  Result<Known> recognize(const AuditPlace& place) const;

  struct Lines {
    std::string text;            // the lines that were read; empty: no more lines for now
    std::uint64_t too_long = 0;  // number of skipped lines
    bool ended = true;           // true: the file contains no further complete lines
  };
  // Reads some lines after the current position in the audit file, and moves the position after
  // these lines.
  Result<Lines> read(AuditPlace& place) const;

  const std::filesystem::path& file() const { return file_; }
  std::uint64_t size() const { return size_; }

 private:
  AuditSource(std::filesystem::path file, UniqueFd fd, std::uint64_t size)
      : file_(std::move(file)), fd_(std::move(fd)), size_(size) {}

  Result<std::string> bytes(std::uint64_t from, std::uint64_t count) const;

  std::filesystem::path file_;
  UniqueFd fd_;
  std::uint64_t size_;  // the size when the file was opened
};

}  // namespace host::store
