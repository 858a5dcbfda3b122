#include "upstream/oauth/form.h"

#include <algorithm>

namespace host::upstream::oauth {
namespace {

constexpr std::size_t kMostParameters = 32;
constexpr std::string_view kHex = "0123456789ABCDEF";

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4u];
    out += kHex[byte & 15u];
  }
  return out;
}

std::string to_string(const Form& form) {
  std::string out;
  for (const auto& [name, value] : form) {
    if (!out.empty()) out += '&';
    out += percent_encoded(name) + "=" + percent_encoded(value);
  }
  return out;
}

std::optional<Form> read_form(std::string_view text) {
  Form out;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = decoded(part.substr(0, equals));
    auto value = decoded(part.substr(std::min(equals + 1, part.size())));
    if (!name || !value || out.size() == kMostParameters) return std::nullopt;
    const bool is_twice = std::any_of(out.begin(), out.end(),
                                      [&](const auto& other) { return other.first == *name; });
    if (is_twice) return std::nullopt;
    out.emplace_back(*std::move(name), *std::move(value));
  }
  return out;
}

std::string_view value_of(const Form& form, std::string_view name) {
  for (const auto& [key, value] : form) {
    if (key == name) return value;
  }
  return {};
}

std::string with_query(const std::string& url, const Form& parameters) {
  const std::string query = to_string(parameters);
  if (query.empty()) return url;
  if (url.find('?') == std::string::npos) return url + "?" + query;
  const bool joins = url.ends_with('?') || url.ends_with('&');
  return url + (joins ? "" : "&") + query;
}

}  // namespace host::upstream::oauth
