#include "skill/uri.h"

namespace host::skill {
namespace {

constexpr std::string_view kScheme = "skill://";

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void encode(std::string_view text, std::string_view also_plain, std::string& out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c) || also_plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4u], kDigits[byte & 0xFu]};
    }
  }
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::string> decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit_of(text[i + 1]);
    const int low = digit_of(text[i + 2]);
    const int byte = high * 16 + low;
    if (high < 0 || low < 0 || byte == '/' || byte == 0) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

}  // namespace

std::string uri_of(std::string_view skill, std::string_view path) {
  std::string uri(kScheme);
  encode(skill, {}, uri);
  if (path.empty()) return uri;
  uri += '/';
  encode(path, "/", uri);
  return uri;
}

std::optional<SkillUri> parse_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  const std::size_t slash = uri.find('/');
  auto skill = decode(uri.substr(0, slash));
  if (!skill || skill->empty()) return std::nullopt;
  if (slash == std::string_view::npos) return SkillUri{*std::move(skill), {}};
  auto path = decode(uri.substr(slash + 1));
  if (!path || path->empty()) return std::nullopt;  // a root has no slash at its end
  return SkillUri{*std::move(skill), *std::move(path)};
}

}  // namespace host::skill
