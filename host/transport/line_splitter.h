// Splits a stream of bytes into lines. A line over the limit is returned in pieces and not kept.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace host::transport {

class LineSplitter {
 public:
  // A whole line, or a piece of a line over the limit.
  struct Line {
    std::string_view text;  // without its line end; valid until space() is called
    bool overlong = false;
    bool ends = true;  // false: further pieces of the same line follow
  };

  explicit LineSplitter(std::size_t line_bytes) : line_bytes_(line_bytes) {}

  // Space for the next read. Call filled(n) with the number of bytes read.
  std::span<char> space();
  void filled(std::size_t bytes) { end_ += bytes; }

  // The next complete line that is not empty, or the next piece of a line over the limit. nullopt:
  // more input is needed.
  std::optional<Line> next();
  // After the end of input: the last line, if it had no newline.
  std::optional<Line> rest();

 private:
  std::optional<Line> take(std::size_t newline);
  std::optional<Line> piece_if_overlong();

  std::size_t line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the unfinished line
  std::size_t scanned_ = 0;  // there is no newline before this position
  std::size_t end_ = 0;
  bool overlong_ = false;  // within a line of which a piece was returned
};

}  // namespace host::transport
