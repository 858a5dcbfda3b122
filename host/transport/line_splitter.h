// Splits a stream of bytes into lines. If a line exceeds the limit, the splitter returns it in
// pieces, and never keeps the whole line in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace host::transport {

class LineSplitter {
 public:
  // A Line is a whole line, or a piece of a line that exceeds the limit.
  struct Line {
    std::string_view text;  // the line without its line end; valid until space() is called
    bool overlong = false;
    bool ends = true;  // false: further pieces of the same line follow
  };

  explicit LineSplitter(std::size_t line_bytes) : line_bytes_(line_bytes) {}

  // Returns the space for the next read. After the read, call filled() with the number of bytes
  // that were read.
  std::span<char> space();
  void filled(std::size_t bytes) { end_ += bytes; }

  // Returns the next complete line that is not empty, or the next piece of a line that exceeds the
  // limit. Returns nullopt if the splitter needs more input.
  std::optional<Line> next();
  // Call rest() after the end of the input. Returns the last line if the input had no newline after
  // it.
  std::optional<Line> rest();

 private:
  std::optional<Line> take(std::size_t newline);
  std::optional<Line> piece_if_overlong();

  std::size_t line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // start of the unfinished line
  std::size_t scanned_ = 0;  // the unfinished line has no newline before this position
  std::size_t end_ = 0;
  bool overlong_ = false;  // true: next() has returned a piece of the current line
};

}  // namespace host::transport
