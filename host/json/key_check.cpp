#include "json/key_check.h"

#include <algorithm>
#include <random>

#include "json/excerpt.h"
#include "json/string_token.h"

namespace host::json {
namespace {

constexpr std::ptrdiff_t kFewNames = 16;

// The string whose opening quote is the first byte; it was read before, and is well-formed.
std::string decode(std::string_view text) {
  std::string decoded;
  const char* at = text.data() + 1;
  read_string_token(at, text.data() + text.size(), decoded);
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

std::optional<std::size_t> KeyCheck::close(std::size_t from) {
  const auto begin = names_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto repeated = first_repeated(begin);
  names_.erase(begin, names_.end());
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
