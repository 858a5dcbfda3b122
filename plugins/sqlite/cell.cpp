#include "cell.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include <toolpost/toolpost.hpp>

namespace {

constexpr std::size_t kBlobBytes = 64;
constexpr sqlite3_int64 kExact = sqlite3_int64{1} << 53;

template <class T>
std::string digits(T number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string blob(std::string_view bytes) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "x'";
  for (const char c : bytes.substr(0, kBlobBytes)) {
    out += hex[static_cast<unsigned char>(c) >> 4];
    out += hex[static_cast<unsigned char>(c) & 15];
  }
  if (bytes.size() > kBlobBytes) return out + "...' (" + std::to_string(bytes.size()) + " bytes)";
  return out + "'";
}

}  // namespace

std::string json_string(std::string_view utf8) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : utf8) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string cell(sqlite3_stmt* row, int column, std::size_t most) {
  const auto bytes = [&] {
    const auto* start = static_cast<const char*>(::sqlite3_column_blob(row, column));
    const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(row, column));
    return start == nullptr ? std::string_view() : std::string_view(start, size);
  };
  switch (::sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
      return "null";
    case SQLITE_INTEGER: {
      const sqlite3_int64 number = ::sqlite3_column_int64(row, column);
      const bool exact = number >= -kExact && number <= kExact;
      return exact ? digits(number) : json_string(digits(number));
    }
    case SQLITE_FLOAT: {
      const double number = ::sqlite3_column_double(row, column);
      if (std::isfinite(number)) return digits(number);
      return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    }
    case SQLITE_BLOB:
      return json_string(blob(bytes()));
    default: {
      ::sqlite3_column_text(row, column);  // makes it UTF-8 where the database has UTF-16
      const std::string_view text = bytes();
      // Controls stay, because JSON has escapes for them.
      const std::string told = toolpost::mend_utf8(toolpost::cut(text, most));
      return json_string(
          text.size() > most ? told + "... (" + std::to_string(text.size()) + " bytes)" : told);
    }
  }
}
