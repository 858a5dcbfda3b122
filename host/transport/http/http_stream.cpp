#include "transport/http/http_stream.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace host::transport {
HttpStream::HttpStream(std::size_t limit, std::function<void()> on_change)
    : limit_(limit), on_change_(std::move(on_change)) {}

bool HttpStream::send(std::string_view data, std::string_view id) {
  if (!make_room()) return false;
  pending_.append("event: message\n");
  // An id with a line end would be two fields.
  const auto breaks = [](char c) { return c == '\n' || c == '\r' || c == '\0'; };
  if (!id.empty() && std::none_of(id.begin(), id.end(), breaks)) append_lines("id: ", id);
  append_lines("data: ", data);
  pending_.push_back('\n');
  if (on_change_) on_change_();
  return open();
}

bool HttpStream::comment(std::string_view text) {
  if (!pending_.empty()) return open();  // what waits keeps the connection busy
  if (!make_room()) return false;
  append_lines(": ", text);
  pending_.push_back('\n');
  if (on_change_) on_change_();
  return open();
}

bool HttpStream::prime(std::string_view id, std::chrono::milliseconds retry) {
  if (!make_room()) return false;
  append_lines("id: ", id);
  append_lines("retry: ", std::to_string(retry.count()));
  pending_.append("data: \n\n");
  if (on_change_) on_change_();
  return open();
}

void HttpStream::close() {
  if (!open()) return;
  state_ = State::Ended;
  if (on_change_) on_change_();
}

std::string HttpStream::take() {
  std::string taken = std::exchange(pending_, {});
  if (const auto act = std::exchange(when_taken_, nullptr)) act();
  return taken;
}

void HttpStream::lose() {
  if (open()) state_ = State::Lost;
  on_change_ = nullptr;
  when_taken_ = nullptr;
  pending_.clear();
}

// One event may be as large as a result may be, so only what waits already counts.
bool HttpStream::make_room() {
  if (!open()) return false;
  if (pending_.size() <= limit_) return true;
  state_ = State::Overflowed;
  pending_.clear();
  if (on_change_) on_change_();
  return false;
}

void HttpStream::append_lines(std::string_view field, std::string_view text) {
  while (true) {
    const std::size_t end = text.find_first_of("\r\n");
    pending_.append(field).append(text.substr(0, end)).push_back('\n');
    if (end == std::string_view::npos) return;
    const bool both = text.substr(end, 2) == "\r\n";
    text.remove_prefix(end + (both ? 2 : 1));
  }
}

std::string as_chunk(std::string_view bytes) {
  char size[16];
  const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
  std::string chunk;
  chunk.reserve(bytes.size() + 24);
  chunk.append(size, static_cast<std::size_t>(end - size))
      .append("\r\n")
      .append(bytes)
      .append("\r\n");
  return chunk;
}

}  // namespace host::transport
