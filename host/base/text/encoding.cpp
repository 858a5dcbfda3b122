#include "base/text/encoding.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace host {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void encode(std::string_view bytes, std::string_view alphabet, bool padded, std::string& out) {
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i]));
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out += alphabet[group >> shift & 63];
  }
  const std::size_t rest = bytes.size() - i;
  if (rest == 0) return;
  const std::uint32_t group = byte(i) << 16 | (rest == 2 ? byte(i + 1) << 8 : 0);
  out += alphabet[group >> 18 & 63];
  out += alphabet[group >> 12 & 63];
  if (rest == 2) out += alphabet[group >> 6 & 63];
  if (padded) out.append(3 - rest, '=');
}

std::optional<std::string> decode(std::string_view text, std::string_view alphabet) {
  std::array<std::int8_t, 256> values;
  values.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = values[static_cast<std::uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xff);
    }
  }
  if ((bits & ((1u << count) - 1)) != 0) return std::nullopt;
  return out;
}

// How many bytes at the front of `bytes` are ASCII, by eights: up to seven more may be.
std::size_t ascii_eights(std::string_view bytes) {
  constexpr std::uint64_t kNotAscii = 0x8080808080808080;
  std::size_t length = 0;
  while (length + sizeof(std::uint64_t) <= bytes.size()) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data() + length, sizeof eight);
    if ((eight & kNotAscii) != 0) break;
    length += sizeof eight;
  }
  return length;
}

// The length of the well-formed sequence at the front of `bytes`; 0 where there is none.
std::size_t sequence_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const auto follows = [&](std::size_t i, std::uint8_t low = 0x80, std::uint8_t high = 0xbf) {
    return i < bytes.size() && at(i) >= low && at(i) <= high;
  };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const std::uint8_t low = lead == 0xe0 ? 0xa0 : 0x80;
    const std::uint8_t high = lead == 0xed ? 0x9f : 0xbf;  // no surrogates
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const std::uint8_t low = lead == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t high = lead == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  encode(bytes, kStandard, true, out);
  return out;
}

void base64(std::string_view bytes, std::string& append_to) {
  encode(bytes, kStandard, true, append_to);
}

std::string base64url(std::string_view bytes) {
  std::string out;
  encode(bytes, kUrl, false, out);
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(text, kStandard);
}

std::optional<std::string> from_base64url(std::string_view text) {
  return decode(text, kUrl);
}

bool is_utf8(std::string_view bytes) {
  for (;;) {
    bytes.remove_prefix(ascii_eights(bytes));
    if (bytes.empty()) return true;
    const std::size_t length = sequence_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
}

std::string_view utf8_begin(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto continues = [&](std::size_t i) {
    return (static_cast<std::uint8_t>(text[i]) & 0xc0u) == 0x80u;
  };
  for (int i = 0; i < 3 && most > 0 && continues(most); ++i) --most;
  return text.substr(0, most);
}

}  // namespace host
