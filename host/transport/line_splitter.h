// Splits a stream of bytes into lines. A line over the limit is skipped without being stored.
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
    std::string_view text;  // without its end; valid until space() is called
    bool overlong = false;  // the line was skipped; `text` is empty
  };

  explicit LineSplitter(std::size_t line_bytes) : line_bytes_(line_bytes) {}

  // Space for the next read. Call filled(n) with the number of bytes read.
  std::span<char> space();
  void filled(std::size_t bytes) { end_ += bytes; }

  // The next non-empty line, if a complete one has arrived.
  std::optional<Line> next();
  // After the end of input: the last line, if it had no newline.
  std::optional<Line> rest();

 private:
  std::optional<Line> take(std::size_t newline);
  std::optional<Line> skip_if_overlong();

  std::size_t line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the unfinished line
  std::size_t scanned_ = 0;  // no newline before this
  std::size_t end_ = 0;
  bool skipping_ = false;  // inside a line that was already reported as overlong
};

}  // namespace host::transport
