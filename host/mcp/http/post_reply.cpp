#include "mcp/http/post_reply.h"

#include <algorithm>

namespace host::mcp {
namespace {

constexpr std::string_view kRetryAfterSeconds = "1";

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

PostReply::Accepts PostReply::accepts(std::string_view field) {
  if (!field.data()) return {};
  Accepts accepts{false, false};
  while (!field.empty()) {
    const auto comma = field.find(',');
    const std::string_view range = field.substr(0, comma);
    field = comma == std::string_view::npos ? std::string_view() : field.substr(comma + 1);
    const std::string_view type = trim(range.substr(0, range.find(';')));
    if (type == "*/*") return {};
    if (same_word(type, "application/json") || same_word(type, "application/*"))
      accepts.json = true;
    if (same_word(type, "text/event-stream") || same_word(type, "text/*")) accepts.events = true;
  }
  return accepts;
}

bool PostReply::send(std::string_view message) {
  if (!accepts_.events) return false;
  if (!stream_) stream_ = exchange_.stream(headers_);
  return stream_->send(message);
}

void PostReply::finish_without_answer() {
  if (!stream_ && !accepts_.events) {
    exchange_.respond(202, {}, {}, std::move(headers_));
    return;
  }
  if (!stream_) stream_ = exchange_.stream(headers_);
  stream_->close();
}

void PostReply::finish(const Reply& reply) {
  if (reply.cancelled) return finish_without_answer();
  if (!stream_ && !accepts_.json && accepts_.events && reply.status == 200) {
    stream_ = exchange_.stream(headers_);
  }
  if (stream_) {
    stream_->send(reply.text);
    stream_->close();
    return;
  }
  if (reply.busy) add_header("Retry-After", std::string(kRetryAfterSeconds));
  exchange_.respond(reply.status, reply.text, "application/json", std::move(headers_));
}

}  // namespace host::mcp
