#include "roots/utf8.h"

#include <toolpost/toolpost.hpp>

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : toolpost::mend_utf8(bytes)) {
    is_control(c) ? text += kReplacement : text += c;
  }
  return text;
}
