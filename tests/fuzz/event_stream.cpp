// The stream of events of an upstream. In whatever pieces it arrives, the events are the same, and
// nothing is kept beyond the limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "upstream/http/event_reader.h"

namespace {

constexpr std::size_t kMostBytes = 64;

void must(bool held) {
  if (!held) std::abort();
}

struct Read {
  std::vector<std::string> events;
  bool is_whole = true;
  std::string last_id;
};

Read read(std::string_view text, std::size_t piece) {
  Read read;
  host::upstream::EventReader reader(kMostBytes);
  const auto keep = [&](const host::upstream::ServerEvent& event) {
    must(event.data.size() <= kMostBytes && event.type.size() <= kMostBytes);
    read.events.push_back(event.type + "|" + event.data);
  };
  for (std::size_t at = 0; at < text.size() && read.is_whole; at += piece) {
    // Its own buffer, so that the sanitizer sees a read past its end.
    const std::string bytes(text.substr(at, piece));
    read.is_whole = reader.take(bytes, keep, [] { return true; }).has_value();
  }
  read.last_id = reader.last_id();
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Read whole = read(text, size + 1);
  for (const std::size_t piece : {1, 2, 7}) {
    const Read now = read(text, piece);
    must(now.is_whole == whole.is_whole && now.events == whole.events);
    must(now.last_id == whole.last_id);
  }
  return 0;
}
