#include "upstream/http/event_reader.h"

#include <algorithm>
#include <charconv>

namespace host::upstream {
namespace {

constexpr std::size_t kLinesInARow = 256;  // without a question
constexpr std::size_t kKeptBytes = 64u << 10u;
constexpr std::size_t kMostIdBytes = 1024;  // a longer one is ignored
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Digits alone; a longer wait than an hour is an hour.
std::optional<std::chrono::milliseconds> wait_of(std::string_view digits) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  std::uint64_t wait = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), wait);
  constexpr std::uint64_t kMost = 3'600'000;
  if (fault != std::errc()) wait = kMost;
  return std::chrono::milliseconds(std::min(wait, kMost));
}

}  // namespace

Result<std::size_t> EventReader::take(std::string_view bytes,
                                      const std::function<void(const ServerEvent&)>& on_event,
                                      const std::function<bool()>& may_go_on) {
  const std::size_t all = bytes.size();
  for (std::size_t lines = 1; !bytes.empty(); ++lines) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const auto* const found =
        std::find_if(bytes.begin(), bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
    const auto end = static_cast<std::size_t>(found - bytes.begin());
    if (line_.size() + end > event_bytes_) too_long_ = true;
    if (too_long_) return too_long();
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) return all;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    const bool had_event = take_line(on_event);
    if (too_long_) return too_long();
    if ((had_event || lines % kLinesInARow == 0) && !may_go_on()) break;
  }
  return all - bytes.size();
}

Error EventReader::too_long() const {
  return Error{ErrorKind::Io, "an event of more than " + std::to_string(event_bytes_) + " bytes"};
}

// Returns whether there was an event.
bool EventReader::take_line(const std::function<void(const ServerEvent&)>& on_event) {
  std::string_view line = line_;
  if (is_first_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  is_first_ = false;
  if (!line.empty()) {
    take_field(line);
    line_.clear();
    if (line_.capacity() > kKeptBytes) line_.shrink_to_fit();
    return false;
  }
  line_.clear();
  const ServerEvent event = std::exchange(event_, {});
  if (!std::exchange(has_data_, false)) return false;
  on_event(event);
  return true;
}

void EventReader::take_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (event_.data.size() + value.size() >= event_bytes_) too_long_ = true;
    if (too_long_) return;
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (name == "event") {
    event_.type = value;
  } else if (name == "id") {
    const bool is_valid =
        value.size() <= kMostIdBytes && value.find('\0') == std::string_view::npos;
    if (is_valid) last_id_ = value;
  } else if (name == "retry") {
    if (const auto wait = wait_of(value)) retry_ = wait;
  }
}

}  // namespace host::upstream
