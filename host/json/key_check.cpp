#include "json/key_check.h"

#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <random>

#include "json/excerpt.h"

namespace host::json {
namespace {

constexpr std::ptrdiff_t kFewNames = 16;

unsigned hex4(std::string_view digits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + 4, value, 16);
  return value;
}

void append_utf8(std::string& to, unsigned code) {
  rapidjson::GenericStringBuffer<rapidjson::UTF8<>> buffer;
  rapidjson::UTF8<>::Encode(buffer, code);
  to.append(buffer.GetString(), buffer.GetSize());
}

// The string whose opening quote is the first byte; the reader found it well-formed before.
std::string decode(std::string_view token) {
  std::string decoded;
  for (std::size_t at = 1; token[at] != '"'; ++at) {
    if (token[at] != '\\') {
      decoded += token[at];
      continue;
    }
    const char escape = token[++at];
    if (escape != 'u') {
      const std::string_view letters = "bfnrt";
      const std::size_t letter = letters.find(escape);
      decoded += letter == std::string_view::npos ? escape : "\b\f\n\r\t"[letter];
      continue;
    }
    unsigned code = hex4(token.substr(at + 1));
    at += 4;
    if (code >= 0xD800 && code < 0xDC00) {
      code = 0x10000 + ((code - 0xD800) << 10u) + (hex4(token.substr(at + 3)) - 0xDC00);
      at += 6;
    }
    append_utf8(decoded, code);
  }
  return decoded;
}

}  // namespace

std::uint64_t hash_secret() {
  static const std::uint64_t secret = [] {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32u) | device();
  }();
  return secret;
}

std::optional<std::size_t> KeyCheck::close() {
  const auto from = names_.begin() + static_cast<std::ptrdiff_t>(open_.back());
  const auto repeated = first_repeated(from);
  names_.erase(from, names_.end());
  open_.pop_back();
  return repeated;
}

std::optional<std::size_t> KeyCheck::first_repeated(std::vector<Name>::iterator from) {
  if (names_.end() - from <= kFewNames) {
    for (auto name = from; name != names_.end(); ++name) {
      for (auto earlier = from; earlier != name; ++earlier) {
        if (earlier->hash == name->hash && same(*earlier, *name)) return name->at;
      }
    }
    return std::nullopt;
  }
  std::sort(from, names_.end(), [](const Name& left, const Name& right) {
    return left.hash != right.hash ? left.hash < right.hash : left.at < right.at;
  });
  std::optional<std::size_t> first;
  for (auto name = from + 1; name < names_.end(); ++name) {
    const Name& earlier = *(name - 1);
    if (earlier.hash != name->hash || !same(earlier, *name)) continue;
    first = std::min(first.value_or(name->at), name->at);
  }
  return first;
}

bool KeyCheck::same(const Name& left, const Name& right) const {
  return decode(text_.substr(left.at)) == decode(text_.substr(right.at));
}

std::string KeyCheck::quoted(std::size_t opening_quote) const {
  return '"' + excerpt(decode(text_.substr(opening_quote)), 60) + '"';
}

}  // namespace host::json
