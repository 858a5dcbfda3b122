#include "json/schema/format/format_checks.h"
#include "json/schema/regex/characters.h"

namespace host::json::schema {
namespace {

enum class Letters { Ascii, Unicode };

bool is_label(std::string_view label, Letters letters) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') {
    return false;
  }
  for (const char c : label) {
    const bool good =
        is_letter(c) || is_digit(c) || c == '-' || (letters == Letters::Unicode && !is_ascii(c));
    if (!good) return false;
  }
  // A second pair of hyphens marks an encoded label, and only `xn` is one.
  if (label.size() < 4 || label.substr(2, 2) != "--") return true;
  return is_one_of(label[0], "xX") && is_one_of(label[1], "nN") && label.size() > 5;
}

bool is_domain(std::string_view text, Letters letters) {
  if (text.empty() || text.size() > 253) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot), letters)) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_atom_text(char c, Letters letters) {
  return is_letter(c) || is_digit(c) || is_one_of(c, "!#$%&'*+-/=?^_`{|}~") ||
         (letters == Letters::Unicode && !is_ascii(c));
}

bool is_dot_string(std::string_view text, Letters letters) {
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' ? text[i + 1] == '.' : !is_atom_text(text[i], letters)) return false;
  }
  return true;
}

bool is_quoted_string(std::string_view text, Letters letters) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
    if (is_ascii(text[i]) ? text[i] < ' ' || text[i] == 0x7F : letters == Letters::Ascii) {
      return false;
    }
  }
  return true;
}

bool is_address_literal(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  if (text.starts_with("IPv6:")) return is_ipv6(text.substr(5));
  return is_ipv4(text);
}

bool is_mailbox(std::string_view text, Letters letters) {
  const std::size_t sign = text.rfind('@');
  if (sign == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, sign);
  const std::string_view domain = text.substr(sign + 1);
  return (is_dot_string(local, letters) || is_quoted_string(local, letters)) &&
         (is_domain(domain, letters) || is_address_literal(domain));
}

}  // namespace

bool is_hostname(std::string_view text) {
  return is_domain(text, Letters::Ascii);
}
bool is_email(std::string_view text) {
  return is_mailbox(text, Letters::Ascii);
}
bool is_idn_email(std::string_view text) {
  return is_mailbox(text, Letters::Unicode);
}

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    std::size_t length = 0;
    int value = 0;
    while (length < text.size() && length < 4 && is_digit(text[length])) {
      value = value * 10 + (text[length++] - '0');
    }
    if (length == 0 || length > 3 || value > 255 || (length > 1 && text[0] == '0')) return false;
    text.remove_prefix(length);
    if (part == 3) return text.empty();
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  return false;
}

bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    if (text.find(':') == std::string_view::npos && is_ipv4(text)) {
      groups += 2;
      break;
    }
    std::size_t length = 0;
    while (length < text.size() && is_hex(text[length])) ++length;
    if (length == 0 || length > 4) return false;
    ++groups;
    text.remove_prefix(length);
    if (text.empty()) break;
    if (text.starts_with("::")) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(2);
      continue;
    }
    if (!text.starts_with(':') || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  return gap ? groups < 8 : groups == 8;
}

}  // namespace host::json::schema
