// The audit file as a stream of whole lines, read on from a place that was noted. Hosts append to
// it meanwhile. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::store {

struct AuditPlace {
  // The file's first bytes, by which it is known again. Its inode would not do: a new file often
  // gets the one of a file that was deleted, and a copy that is put back has another.
  std::string head;
  std::uint64_t offset = 0;   // what stands in front of it was read
  bool in_long_line = false;  // the offset is within a line that is left out
};

class AuditSource {
 public:
  // Nothing: there is no such file. An error where it is no regular one, so that nothing waits.
  static Result<std::optional<AuditSource>> open(const std::filesystem::path& file);

  // Same: it goes on behind the place. Cut: it is the file of before, without its end, as after a
  // loss of power. Other: another one stands in its place, or it was emptied.
  enum class Known { Same, Cut, Other };
  Result<Known> recognize(const AuditPlace& place) const;

  struct Lines {
    std::string text;            // whole lines; none: there are no more for now
    std::uint64_t too_long = 0;  // that were left out
    bool ended = true;           // the file has nothing more but perhaps the begin of a line
  };
  // Some lines behind the place, and the place behind them.
  Result<Lines> read(AuditPlace& place) const;

  const std::filesystem::path& file() const { return file_; }
  std::uint64_t size() const { return size_; }

 private:
  AuditSource(std::filesystem::path file, UniqueFd fd, std::uint64_t size)
      : file_(std::move(file)), fd_(std::move(fd)), size_(size) {}

  Result<std::string> bytes(std::uint64_t from, std::uint64_t count) const;

  std::filesystem::path file_;
  UniqueFd fd_;
  std::uint64_t size_;  // when it was opened
};

}  // namespace host::store
