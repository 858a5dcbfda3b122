// Cuts a stream of bytes into lines, and skips a line over the limit without keeping it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace host::transport {

class LineSplitter {
 public:
  struct Line {
    std::string_view text;  // without its end; good until space() is called
    bool overlong = false;  // the line was skipped; `text` is empty
  };

  explicit LineSplitter(std::size_t line_bytes) : line_bytes_(line_bytes) {}

  // Room for the next read; filled(n) tells how much of it was used.
  std::span<char> space();
  void filled(std::size_t bytes) { end_ += bytes; }

  // The next line that is not empty, if a whole one is there.
  std::optional<Line> next();
  // After the end of input: a last line that had no newline.
  std::optional<Line> rest();

 private:
  std::optional<Line> take(std::size_t newline);
  std::optional<Line> skip_if_overlong();

  std::size_t line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the unfinished line
  std::size_t scanned_ = 0;  // no newline before this
  std::size_t end_ = 0;
  bool skipping_ = false;  // within a line that was already reported as overlong
};

}  // namespace host::transport
