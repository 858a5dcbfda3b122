// The JSON code of the SDK: a strict pull reader, and functions that write single values.
//
// The host has already checked the arguments of a call. However, the JSON reader does not rely on
// the host's checks, and is safe for any bytes. The reader throws Error with the JSON pointer of
// the value that it could not read.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "toolpost/detail/callable.hpp"
#include "toolpost/detail/error.hpp"
#include "toolpost/detail/linkage.hpp"

namespace toolpost {
inline namespace v1 {

// Json is any JSON value, as text. In an argument of a tool, Json::text is the unchanged text of
// the argument. In a result, Json::text must be valid JSON.
struct Json {
  std::string text = "null";
};

namespace detail {

void write_string(std::string& out, std::string_view text);

// Unknown says what the reader does with a member that is not a field of its struct.
enum class Unknown { Skipped, Refused };

class Reader {
 public:
  // `what` names the JSON text in error messages: "argument", "setting", or a noun and a name in
  // quotes.
  Reader(std::string_view text, std::string_view what, Unknown unknown = Unknown::Skipped);
  Reader(const Reader&);
  Reader& operator=(const Reader&);
  ~Reader();

  // Calls on_member(key) for each member. on_member() must read the value, with one of the Reader's
  // functions.
  void object(FunctionRef<void(std::string_view key)> on_member);
  // Calls on_element() for each element of the array. on_element() must read the value.
  void array(FunctionRef<void()> on_element);

  std::string string();
  bool boolean();
  // Reads a null if it is the next value. Returns false if the next value is not null.
  bool null();
  // Reads a number from -most to most.
  double number(double most = std::numeric_limits<double>::max());
  // Reads a whole number, even if it is written as 2.0 or 2e3.
  template <std::integral T>
  T integer() {
    constexpr int digits = std::numeric_limits<T>::digits;
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(signed_integer(digits));
    } else {
      return static_cast<T>(unsigned_integer(digits));
    }
  }

  bool refuses_unknown() const { return unknown_ == Unknown::Refused; }
  // Returns the first character of the next value, or '\0' at the end of the text.
  char peek();
  // Reads a value of any kind and returns its text.
  std::string_view any();
  // Throws Error if text follows the value that was read.
  void end();

  [[noreturn]] void fail(std::string_view why) const;
  [[noreturn]] void fail_member(std::string_view key, std::string_view why) const;

 private:
  static constexpr int kMaxDepth = 128;

  // `digits` is the maximum number of bits of the number, without its sign.
  std::int64_t signed_integer(int digits);
  std::uint64_t unsigned_integer(int digits);
  double whole_number(std::string_view token, double least, double bound) const;
  [[noreturn]] void fail_at(const std::string& path, std::string_view why) const;
  char pop();
  void space();
  bool take(char c);
  bool literal(std::string_view word);
  void open(char bracket, std::string_view kind);
  void descend(std::string_view step, FunctionRef<void()> read_value);
  void skip();
  std::string_view number_token();
  bool accept(char c);
  std::size_t digits();
  void escape(std::string& out);
  std::uint32_t hex4();
  std::uint32_t code_point();

  std::string_view rest_;
  std::string_view what_;
  Unknown unknown_;
  std::string path_;  // JSON pointer of the value being read
  int depth_ = 0;
};

// Writes the shortest decimal text that is read back as the same number.
void write_number(std::string& out, float value);
void write_number(std::string& out, double value);
void write_number(std::string& out, long double value);
void write_number(std::string& out, std::int64_t value);
void write_number(std::string& out, std::uint64_t value);

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/json.ipp"
#endif
