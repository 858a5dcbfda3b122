#include "transport/line_splitter.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace host::transport {
namespace {

constexpr std::size_t kReadBytes = 64u << 10u;

}  // namespace

std::span<char> LineSplitter::space() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kReadBytes) buffer_.resize(std::max(end_ + kReadBytes, 2 * end_));
  // A long line made it grow; do not keep that for ever.
  if (end_ == 0 && buffer_.size() > 4 * kReadBytes) {
    buffer_.resize(kReadBytes);
    buffer_.shrink_to_fit();
  }
  return std::span(buffer_).subspan(end_);
}

std::optional<LineSplitter::Line> LineSplitter::next() {
  while (scanned_ < end_) {
    const void* found = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
    if (found == nullptr) {
      scanned_ = end_;
      break;
    }
    const auto line = take(static_cast<const char*>(found) - buffer_.data());
    if (line) return line;
  }
  return piece_if_overlong();
}

std::optional<LineSplitter::Line> LineSplitter::rest() {
  if (begin_ == end_ && !overlong_) return {};
  return take(end_);
}

// The line that ends at `newline`, or the last piece of an overlong one; nothing where it is empty.
std::optional<LineSplitter::Line> LineSplitter::take(std::size_t newline) {
  std::string_view text(buffer_.data() + begin_, newline - begin_);
  begin_ = scanned_ = std::min(newline + 1, end_);
  const bool tail = std::exchange(overlong_, false);
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty() && !tail) return {};
  return Line{text, tail || text.size() > line_bytes_, true};
}

std::optional<LineSplitter::Line> LineSplitter::piece_if_overlong() {
  // One more byte may be the carriage return.
  if (begin_ == end_ || (!overlong_ && end_ - begin_ <= line_bytes_ + 1)) return {};
  overlong_ = true;
  const std::string_view text(buffer_.data() + begin_, end_ - begin_);
  begin_ = scanned_ = end_;
  return Line{text, true, false};
}

}  // namespace host::transport
