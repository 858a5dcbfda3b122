#include "protocol/trace_context.h"

#include <algorithm>

namespace host::protocol {
namespace {

constexpr std::size_t kParentBytes = 55;  // of version 00: 2-32-16-2 digits
constexpr std::size_t kStateBytes = 512;  // what every vendor has to pass on
constexpr int kStateMembers = 32;
constexpr std::size_t kBaggageBytes = 8192;
constexpr int kBaggageMembers = 180;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

// A later version may be longer; what version 00 says of its first fields holds for it.
bool is_parent(std::string_view text) {
  if (text.size() < kParentBytes || text.size() > kStateBytes) return false;
  const std::string_view version = text.substr(0, 2), trace = text.substr(3, 32),
                         span = text.substr(36, 16), flags = text.substr(53, 2);
  if (text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  if (!is_hex(version) || !is_hex(trace) || !is_hex(span) || !is_hex(flags)) return false;
  if (version == "ff" || is_zero(trace) || is_zero(span)) return false;
  return text.size() == kParentBytes || (version != "00" && text[kParentBytes] == '-');
}

// `key=value` pairs with commas between, of printable ASCII; empty members may stand in a list.
bool is_list(std::string_view text, std::size_t most_bytes, int most_members) {
  if (text.empty() || text.size() > most_bytes) return false;
  const bool printable = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c == '\t' || (c >= 0x20 && c <= 0x7e);
  });
  if (!printable) return false;
  int members = 0;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view member = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (member.find_first_not_of(" \t") == std::string_view::npos) continue;
    const auto equals = member.find('=');
    if (equals == std::string_view::npos || equals == member.find_first_not_of(" \t")) return false;
    ++members;
  }
  return members > 0 && members <= most_members;
}

}  // namespace

Trace read_trace(std::string_view traceparent, std::string_view tracestate,
                 std::string_view baggage) {
  Trace trace;
  if (is_parent(traceparent)) {
    trace.parent = traceparent;
    if (is_list(tracestate, kStateBytes, kStateMembers)) trace.state = tracestate;
  }
  if (is_list(baggage, kBaggageBytes, kBaggageMembers)) trace.baggage = baggage;
  return trace;
}

}  // namespace host::protocol
