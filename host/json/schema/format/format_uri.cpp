#include "json/schema/format/format_checks.h"
#include "json/schema/regex/characters.h"
#include "json/schema/uri.h"

namespace host::json::schema {
namespace {

enum class IriLetters { Ascii, Unicode };

// Code points that RFC 3987 allows beyond ASCII; private ones only in a query.
bool is_ucs(char32_t code, bool query) {
  if (code < 0xA0 || (code & 0xFFFE) == 0xFFFE) return false;
  if (code <= 0xD7FF || (code >= 0xF900 && code <= 0xFDCF) || (code >= 0xFDF0 && code <= 0xFFEF)) {
    return true;
  }
  if (code >= 0x10000 && code <= 0xEFFFD) return code < 0xE0000 || code >= 0xE1000;
  return query && ((code >= 0xE000 && code <= 0xF8FF) || code >= 0xF0000);
}

// The character at the front of well-formed UTF-8, taken off.
char32_t take_code(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t code = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length && i < text.size(); ++i) {
    code = (code << 6u) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(length < text.size() ? length : text.size());
  return code;
}

// Unreserved characters, sub-delims, % escapes and what `more` lists.
bool all_of(std::string_view text, std::string_view more, IriLetters letters, bool query = false) {
  while (!text.empty()) {
    const char c = text[0];
    if (!is_ascii(c)) {
      if (letters == IriLetters::Ascii || !is_ucs(take_code(text), query)) return false;
      continue;
    }
    if (c == '%') {
      if (text.size() < 3 || !is_hex(text[1]) || !is_hex(text[2])) return false;
      text.remove_prefix(3);
      continue;
    }
    if (!is_letter(c) && !is_digit(c) && !is_one_of(c, "-._~!$&'()*+,;=") && !is_one_of(c, more)) {
      return false;
    }
    text.remove_prefix(1);
  }
  return true;
}

bool is_ip_literal(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  if (text.empty() || !is_one_of(text[0], "vV")) return is_ipv6(text);
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot < 2 || dot + 1 == text.size()) return false;
  for (const char c : text.substr(1, dot - 1)) {
    if (!is_hex(c)) return false;
  }
  return text.find('%') == std::string_view::npos &&
         all_of(text.substr(dot + 1), ":", IriLetters::Ascii);
}

bool is_authority(std::string_view text, IriLetters letters) {
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    if (!all_of(text.substr(0, at), ":", letters)) return false;
    text.remove_prefix(at + 1);
  }
  std::size_t port = text.rfind(':');
  if (port != std::string_view::npos && text.find(']', port) != std::string_view::npos) {
    port = std::string_view::npos;  // a colon within an address
  }
  if (port != std::string_view::npos) {
    for (const char c : text.substr(port + 1)) {
      if (!is_digit(c)) return false;
    }
    text = text.substr(0, port);
  }
  return text.starts_with('[') ? is_ip_literal(text) : all_of(text, "", letters);
}

// What follows the scheme, or the whole of a relative reference.
bool is_rest(std::string_view text, bool relative, IriLetters letters) {
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    if (!all_of(text.substr(hash + 1), ":@/?", letters)) return false;
    text = text.substr(0, hash);
  }
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    if (!all_of(text.substr(mark + 1), ":@/?", letters, true)) return false;
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::string_view authority = text.substr(0, text.find('/'));
    if (!is_authority(authority, letters)) return false;
    text.remove_prefix(authority.size());
  } else if (relative && text.substr(0, text.find('/')).find(':') != std::string_view::npos) {
    return false;
  }
  return all_of(text, ":@/", letters);
}

bool is_absolute(std::string_view text, IriLetters letters) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && is_scheme(text.substr(0, colon)) &&
         is_rest(text.substr(colon + 1), false, letters);
}

bool is_reference(std::string_view text, IriLetters letters) {
  return is_absolute(text, letters) || is_rest(text, true, letters);
}

bool is_variable_name(std::string_view text) {
  bool after_dot = true;
  while (!text.empty()) {
    if (text[0] == '.') {
      if (after_dot) return false;
      after_dot = true;
      text.remove_prefix(1);
      continue;
    }
    after_dot = false;
    if (text[0] == '%') {
      if (text.size() < 3 || !is_hex(text[1]) || !is_hex(text[2])) return false;
      text.remove_prefix(3);
    } else {
      if (!is_letter(text[0]) && !is_digit(text[0]) && text[0] != '_') return false;
      text.remove_prefix(1);
    }
  }
  return !after_dot;
}

bool is_variable(std::string_view text) {
  if (text.ends_with('*')) return is_variable_name(text.substr(0, text.size() - 1));
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return is_variable_name(text);
  const std::string_view length = text.substr(colon + 1);
  if (length.empty() || length.size() > 4 || length[0] == '0') return false;
  for (const char c : length) {
    if (!is_digit(c)) return false;
  }
  return is_variable_name(text.substr(0, colon));
}

bool is_expression(std::string_view text) {
  if (!text.empty() && is_one_of(text[0], "+#./;?&")) text.remove_prefix(1);
  for (;;) {
    const std::size_t comma = text.find(',');
    if (!is_variable(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

bool is_uri(std::string_view text) {
  return is_absolute(text, IriLetters::Ascii);
}
bool is_uri_reference(std::string_view text) {
  return is_reference(text, IriLetters::Ascii);
}
bool is_iri(std::string_view text) {
  return is_absolute(text, IriLetters::Unicode);
}
bool is_iri_reference(std::string_view text) {
  return is_reference(text, IriLetters::Unicode);
}

bool is_uri_template(std::string_view text) {
  while (!text.empty()) {
    const char c = text[0];
    if (c == '{') {
      const std::size_t end = text.find('}');
      if (end == std::string_view::npos || !is_expression(text.substr(1, end - 1))) return false;
      text.remove_prefix(end + 1);
    } else if (!is_ascii(c)) {
      if (!is_ucs(take_code(text), true)) return false;
    } else if (c == '%') {
      if (text.size() < 3 || !is_hex(text[1]) || !is_hex(text[2])) return false;
      text.remove_prefix(3);
    } else {
      if (c <= ' ' || c == 0x7F || is_one_of(c, "\"<>\\^`|}")) return false;
      text.remove_prefix(1);
    }
  }
  return true;
}

}  // namespace host::json::schema
