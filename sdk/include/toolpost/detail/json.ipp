// The bodies of json.hpp.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

#include "toolpost/detail/json.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE Reader::Reader(std::string_view text, std::string_view what, Unknown unknown)
    : rest_(text), what_(what), unknown_(unknown) {}
TOOLPOST_INLINE Reader::Reader(const Reader&) = default;
TOOLPOST_INLINE Reader& Reader::operator=(const Reader&) = default;
TOOLPOST_INLINE Reader::~Reader() = default;

TOOLPOST_INLINE void Reader::object(FunctionRef<void(std::string_view key)> on_member) {
  open('{', "an object");
  if (!take('}')) {
    do {
      const std::string key = string();
      if (!take(':')) fail("is not valid JSON");
      descend(key, [&] { on_member(std::string_view(key)); });
    } while (take(','));
    if (!take('}')) fail("is not valid JSON");
  }
  --depth_;
}

TOOLPOST_INLINE void Reader::array(FunctionRef<void()> on_element) {
  open('[', "an array");
  if (!take(']')) {
    std::size_t index = 0;
    do {
      descend(std::to_string(index++), on_element);
    } while (take(','));
    if (!take(']')) fail("is not valid JSON");
  }
  --depth_;
}

TOOLPOST_INLINE std::string Reader::string() {
  if (!take('"')) fail("is not a string");
  std::string out;
  for (;;) {
    const auto ends_run = [](char c) {
      return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    };
    const auto end = std::find_if(rest_.begin(), rest_.end(), ends_run);
    const auto run = static_cast<std::size_t>(end - rest_.begin());
    out.append(rest_.data(), run);
    rest_.remove_prefix(run);
    if (rest_.empty()) break;
    const char c = pop();
    if (c == '"') return out;
    if (c != '\\') break;
    escape(out);
  }
  fail("is not valid JSON");
}

TOOLPOST_INLINE bool Reader::boolean() {
  if (literal("true")) return true;
  if (literal("false")) return false;
  fail("is not true or false");
}

TOOLPOST_INLINE bool Reader::null() {
  return literal("null");
}

TOOLPOST_INLINE double Reader::number(double most) {
  const std::string_view token = number_token();
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) fail("is not a number that fits");
  if (std::abs(value) > most) fail("is a number out of range");
  return value;
}

// Accepts least <= number < bound. The bounds are powers of two, so they are exact as doubles.
TOOLPOST_INLINE double Reader::whole_number(std::string_view token, double least,
                                            double bound) const {
  const char* const last = token.data() + token.size();
  double real = 0;
  const auto [end, error] = std::from_chars(token.data(), last, real);
  if (error != std::errc() || end != last || real != std::floor(real))
    fail("is not a whole number");
  if (real >= bound || real < least) fail("is a number out of range");
  return real;
}

TOOLPOST_INLINE std::int64_t Reader::signed_integer(int digits) {
  const std::string_view token = number_token();
  const char* const last = token.data() + token.size();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), last, value);
  const std::int64_t beyond = value >> (digits < 63 ? digits : 63);
  if (error == std::errc() && end == last && (beyond == 0 || beyond == -1)) return value;
  const double bound = std::ldexp(1.0, digits);
  return static_cast<std::int64_t>(whole_number(token, -bound, bound));
}

TOOLPOST_INLINE std::uint64_t Reader::unsigned_integer(int digits) {
  const std::string_view token = number_token();
  const char* const last = token.data() + token.size();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), last, value);
  if (error == std::errc() && end == last && (digits >= 64 || value >> digits == 0)) return value;
  return static_cast<std::uint64_t>(whole_number(token, 0, std::ldexp(1.0, digits)));
}

TOOLPOST_INLINE char Reader::peek() {
  space();
  return rest_.empty() ? '\0' : rest_.front();
}

TOOLPOST_INLINE std::string_view Reader::any() {
  space();
  const char* const start = rest_.data();
  skip();
  return {start, static_cast<std::size_t>(rest_.data() - start)};
}

TOOLPOST_INLINE void Reader::end() {
  space();
  if (!rest_.empty()) fail("is not valid JSON");
}

TOOLPOST_INLINE void Reader::fail(std::string_view why) const {
  fail_at(path_, why);
}
TOOLPOST_INLINE void Reader::fail_member(std::string_view key, std::string_view why) const {
  fail_at(path_ + "/" + std::string(key), why);
}

TOOLPOST_INLINE void put_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
}

TOOLPOST_INLINE void Reader::fail_at(const std::string& path, std::string_view why) const {
  std::string message(what_);
  // If the whole value is wrong, the message has a plural, like "arguments are not an object". A
  // name in quotes is that of a single value: `entry "org.example.User" is not an object`.
  const bool is_plural = path.empty() && !what_.ends_with('"');
  message += path.empty() ? (is_plural ? "s" : "") : " " + path;
  if (is_plural && why.starts_with("is ")) {
    message.append(" are ").append(why.substr(3));
  } else {
    message.append(" ").append(why);
  }
  std::string data = R"({"pointer":)";
  write_string(data, path);
  throw Error(message, 0, data + "}");
}

TOOLPOST_INLINE char Reader::pop() {
  const char c = rest_.front();
  rest_.remove_prefix(1);
  return c;
}

TOOLPOST_INLINE void Reader::space() {
  if (!rest_.empty() && rest_.front() > ' ') return;
  const std::size_t count = rest_.find_first_not_of(" \t\r\n");
  rest_.remove_prefix(count == rest_.npos ? rest_.size() : count);
}

TOOLPOST_INLINE bool Reader::take(char c) {
  space();
  if (rest_.empty() || rest_.front() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

TOOLPOST_INLINE bool Reader::literal(std::string_view word) {
  space();
  if (!rest_.starts_with(word)) return false;
  rest_.remove_prefix(word.size());
  return true;
}

TOOLPOST_INLINE void Reader::open(char bracket, std::string_view kind) {
  if (!take(bracket)) fail("is not " + std::string(kind));
  if (++depth_ > kMaxDepth) fail("is nested too deeply");
}

TOOLPOST_INLINE void Reader::descend(std::string_view step, FunctionRef<void()> read_value) {
  const std::size_t length = path_.size();
  path_ += '/';
  for (const char c : step) {  // RFC 6901
    if (c == '~') {
      path_ += "~0";
    } else if (c == '/') {
      path_ += "~1";
    } else {
      path_ += c;
    }
  }
  read_value();
  path_.resize(length);
}

TOOLPOST_INLINE void Reader::skip() {
  space();
  const char next = rest_.empty() ? '\0' : rest_.front();
  if (next == '{') {
    object([this](std::string_view) { skip(); });
  } else if (next == '[') {
    array([this] { skip(); });
  } else if (next == '"') {
    string();
  } else if (next == 't' || next == 'f') {
    boolean();
  } else if (next == 'n') {
    if (!null()) fail("is not valid JSON");
  } else {
    number_token();
  }
}

// RFC 8259: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
TOOLPOST_INLINE std::string_view Reader::number_token() {
  space();
  const std::string_view start = rest_;
  accept('-');
  if (!accept('0') && digits() == 0) fail("is not a number");
  if (accept('.') && digits() == 0) fail("is not a number");
  if (accept('e') || accept('E')) {
    if (!accept('+')) accept('-');
    if (digits() == 0) fail("is not a number");
  }
  return start.substr(0, start.size() - rest_.size());
}

TOOLPOST_INLINE bool Reader::accept(char c) {
  if (rest_.empty() || rest_.front() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

TOOLPOST_INLINE std::size_t Reader::digits() {
  std::size_t count = rest_.find_first_not_of("0123456789");
  if (count == rest_.npos) count = rest_.size();
  rest_.remove_prefix(count);
  return count;
}

TOOLPOST_INLINE void Reader::escape(std::string& out) {
  constexpr std::string_view from = "\"\\/bfnrt";
  constexpr std::string_view to = "\"\\/\b\f\n\r\t";
  if (rest_.empty()) fail("is not valid JSON");
  const char c = pop();
  if (c == 'u') return put_utf8(out, code_point());
  const std::size_t which = from.find(c);
  if (which == from.npos) fail("is not valid JSON");
  out += to[which];
}

TOOLPOST_INLINE std::uint32_t Reader::hex4() {
  if (rest_.size() < 4) fail("is not valid JSON");
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
  if (error != std::errc() || end != rest_.data() + 4) fail("is not valid JSON");
  rest_.remove_prefix(4);
  return code;
}

// Characters beyond U+FFFF are written as a pair of surrogates. A single surrogate is an error.
TOOLPOST_INLINE std::uint32_t Reader::code_point() {
  const std::uint32_t high = hex4();
  if (high < 0xd800 || high > 0xdfff) return high;
  if (high > 0xdbff || !rest_.starts_with("\\u")) fail("has half a surrogate pair");
  rest_.remove_prefix(2);
  const std::uint32_t low = hex4();
  if (low < 0xdc00 || low > 0xdfff) fail("has half a surrogate pair");
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

TOOLPOST_INLINE void write_string(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

template <class T>
void put_number(std::string& out, T value) {
  char digits[48];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <class T>
void put_real(std::string& out, T value) {
  if (!std::isfinite(value))
    throw std::domain_error("JSON has no number for infinity or not-a-number");
  put_number(out, value);
}

TOOLPOST_INLINE void write_number(std::string& out, float value) {
  put_real(out, value);
}
TOOLPOST_INLINE void write_number(std::string& out, double value) {
  put_real(out, value);
}
TOOLPOST_INLINE void write_number(std::string& out, long double value) {
  put_real(out, value);
}
TOOLPOST_INLINE void write_number(std::string& out, std::int64_t value) {
  put_number(out, value);
}
TOOLPOST_INLINE void write_number(std::string& out, std::uint64_t value) {
  put_number(out, value);
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
