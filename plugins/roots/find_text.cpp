#include "find_text.h"

#include <cstring>

std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from) {
  if (text.size() - from < wanted.size()) return text.npos;
  if (wanted.empty()) return from;
  const void* found =
      ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) return text.npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}
