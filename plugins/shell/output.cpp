#include "output.h"

#include <algorithm>

#include <toolpost/toolpost.hpp>

#include "roots/utf8.h"

namespace {

// The cut may have gone through a character, which is no text on either side.
std::string_view without_half_end(std::string_view text) {
  const std::size_t valid = toolpost::valid_utf8(text);
  return text.size() - valid < 4 ? text.substr(0, valid) : text;
}
std::string_view without_half_start(std::string_view text) {
  while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xc0) == 0x80)
    text.remove_prefix(1);
  return text;
}

}  // namespace

void Output::add(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t half = most_ / 2;
  const std::size_t into_head = std::min(bytes.size(), half - std::min(head_.size(), half));
  head_ += bytes.substr(0, into_head);
  tail_ += bytes.substr(into_head);
  const std::size_t keep = most_ - half;
  if (tail_.size() > 2 * keep) tail_.erase(0, tail_.size() - keep);
}

std::string Output::text() const {
  const std::size_t keep = most_ - most_ / 2;
  const std::string_view tail =
      tail_.size() > keep ? std::string_view(tail_).substr(tail_.size() - keep) : tail_;
  const std::uint64_t left_out = total_ - head_.size() - tail.size();
  if (left_out == 0) return printable(head_ + std::string(tail));
  return printable(without_half_end(head_)) + "\n[... " + std::to_string(left_out) +
         " bytes left out ...]\n" + printable(without_half_start(tail));
}
