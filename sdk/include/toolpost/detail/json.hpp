// The JSON that the SDK itself needs: a strict pull reader and the writing of single values.
//
// The host has checked arguments before they come here; the reader relies on none of that and is
// safe on any bytes. It throws Error with the JSON pointer of the value that it could not take.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "toolpost/detail/error.hpp"

namespace toolpost {
inline namespace v1 {

// Any JSON value, kept as its text. As an argument: whatever came. As a result: it must be JSON.
struct Json {
  std::string text = "null";
};

namespace detail {

inline void write_string(std::string& out, std::string_view text);

class Reader {
 public:
  // what: "argument" or "setting", for messages.
  Reader(std::string_view text, std::string_view what) : rest_(text), what_(what) {}

  // Calls on_member(key) for each member; it must take the value, by any function below.
  template <class F>
  void object(F&& on_member) {
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

  // Calls on_element() for each element; it must take the value.
  template <class F>
  void array(F&& on_element) {
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

  std::string string() {
    if (!take('"')) fail("is not a string");
    std::string out;
    while (!rest_.empty()) {
      const char c = pop();
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) break;
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
      }
    }
    fail("is not valid JSON");
  }

  bool boolean() {
    if (literal("true")) return true;
    if (literal("false")) return false;
    fail("is not true or false");
  }

  // Takes a null where one is next.
  bool null() { return literal("null"); }

  double number() {
    const std::string_view token = number_token();
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size())
      fail("is not a number that fits");
    return value;
  }

  // Takes a whole number, also where it is written 2.0 or 2e3.
  template <std::integral T>
  T integer() {
    const std::string_view token = number_token();
    const char* const last = token.data() + token.size();
    T value = 0;
    const auto [end, error] = std::from_chars(token.data(), last, value);
    if (error == std::errc() && end == last) return value;
    double real = 0;
    const auto [real_end, real_error] = std::from_chars(token.data(), last, real);
    if (real_error != std::errc() || real_end != last || real != std::floor(real))
      fail("is not a whole number");
    // The bounds are powers of two, so exact: [min, max + 1).
    const double bound = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (real >= bound || real < (std::is_signed_v<T> ? -bound : 0.0))
      fail("is a number out of range");
    return static_cast<T>(real);
  }

  // The first character of the value that comes next; '\0' at the end.
  char peek() {
    space();
    return rest_.empty() ? '\0' : rest_.front();
  }

  // Takes a value of any kind: its text.
  std::string_view any() {
    space();
    const char* const start = rest_.data();
    skip();
    return {start, static_cast<std::size_t>(rest_.data() - start)};
  }

  // Nothing may follow.
  void end() {
    space();
    if (!rest_.empty()) fail("is not valid JSON");
  }

  [[noreturn]] void fail(std::string_view why) const { fail_at(path_, why); }
  [[noreturn]] void fail_member(std::string_view key, std::string_view why) const {
    fail_at(path_ + "/" + std::string(key), why);
  }

 private:
  static constexpr int kMaxDepth = 128;

  [[noreturn]] void fail_at(const std::string& path, std::string_view why) const {
    std::string message(what_);
    message += path.empty() ? "s" : " " + path;
    // The root is plural: "arguments are not an object".
    if (path.empty() && why.starts_with("is ")) {
      message.append(" are ").append(why.substr(3));
    } else {
      message.append(" ").append(why);
    }
    std::string data = R"({"pointer":)";
    write_string(data, path);
    throw Error(message, 0, data + "}");
  }

  char pop() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void space() {
    const std::size_t count = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(count == rest_.npos ? rest_.size() : count);
  }

  bool take(char c) {
    space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool literal(std::string_view word) {
    space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void open(char bracket, std::string_view kind) {
    if (!take(bracket)) fail("is not " + std::string(kind));
    if (++depth_ > kMaxDepth) fail("is nested too deeply");
  }

  template <class F>
  void descend(std::string_view step, F&& read_value) {
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

  void skip() {
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
  std::string_view number_token() {
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

  bool accept(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::size_t digits() {
    std::size_t count = rest_.find_first_not_of("0123456789");
    if (count == rest_.npos) count = rest_.size();
    rest_.remove_prefix(count);
    return count;
  }

  void escape(std::string& out) {
    constexpr std::string_view from = "\"\\/bfnrt";
    constexpr std::string_view to = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) fail("is not valid JSON");
    const char c = pop();
    if (c == 'u') return put_utf8(out, code_point());
    const std::size_t which = from.find(c);
    if (which == from.npos) fail("is not valid JSON");
    out += to[which];
  }

  std::uint32_t hex4() {
    if (rest_.size() < 4) fail("is not valid JSON");
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
    if (error != std::errc() || end != rest_.data() + 4) fail("is not valid JSON");
    rest_.remove_prefix(4);
    return code;
  }

  // Characters beyond U+FFFF are written as a pair of surrogates; half a pair is no text.
  std::uint32_t code_point() {
    const std::uint32_t high = hex4();
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high > 0xdbff || !rest_.starts_with("\\u")) fail("has half a surrogate pair");
    rest_.remove_prefix(2);
    const std::uint32_t low = hex4();
    if (low < 0xdc00 || low > 0xdfff) fail("has half a surrogate pair");
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  }

  static void put_utf8(std::string& out, std::uint32_t code) {
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

  std::string_view rest_;
  std::string_view what_;
  std::string path_;  // JSON pointer of the value being read
  int depth_ = 0;
};

inline void write_string(std::string& out, std::string_view text) {
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

// The shortest decimal that reads back as the same number.
template <class T>
void write_number(std::string& out, T value) {
  if constexpr (std::floating_point<T>) {
    if (!std::isfinite(value))
      throw std::domain_error("JSON has no number for infinity or not-a-number");
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
