// Scans the unescaped text of JSON strings. The code checks many bytes together for valid UTF-8,
// not one character at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace host::json {

// Returns the length of the well-formed sequence (Unicode 15, table 3-7) at `text`, or 0.
inline std::size_t utf8_sequence(const char* text, const char* end) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto follows = [&](std::size_t at) { return (byte(at) & 0xC0u) == 0x80u; };
  const auto left = static_cast<std::size_t>(end - text);
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return left >= 2 && follows(1) ? 2 : 0;
  if (first < 0xF0) {
    if (left < 3 || !follows(1) || !follows(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (first > 0xF4 || left < 4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
  if (first == 0xF4 && byte(1) > 0x8F) return 0;  // beyond U+10FFFF
  return 4;
}

// Sets the high bit of each byte that is a quote, a backslash, a control character or not ASCII. In
// the result, only the lowest bit that is set is reliable.
inline std::uint64_t special_bytes(std::uint64_t eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  const std::uint64_t quote = eight ^ (kOnes * '"');
  const std::uint64_t backslash = eight ^ (kOnes * '\\');
  const std::uint64_t found = ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                              ((eight - kOnes * 0x20) & ~eight) | eight;
  return found & kHighs;
}

#ifdef __SSE2__
// Sets a bit for each of the 16 bytes at `text` that special_bytes() would mark. Every bit is
// reliable. The comparison is signed, so that a byte that is not ASCII counts as less than 0x20.
inline unsigned special_bytes_of_16(const char* text) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  const __m128i below = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), below)));
}
#endif

// Returns the position after the ASCII characters at `text` that need no escape.
inline const char* skip_plain_ascii(const char* text, const char* end) {
  static_assert(std::endian::native == std::endian::little);
#ifdef __SSE2__
  for (; end - text >= 16; text += 16) {
    const unsigned special = special_bytes_of_16(text);
    if (special != 0) return text + std::countr_zero(special);
  }
#endif
  for (; end - text >= 8; text += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, text, sizeof eight);
    const std::uint64_t special = special_bytes(eight);
    if (special != 0) return text + std::countr_zero(special) / 8;
  }
  while (text != end &&
         special_bytes(static_cast<unsigned char>(*text) | 0x2020202020202000u) == 0) {
    ++text;
  }
  return text;
}

// Returns the end of the run of characters that need no escape.
inline const char* end_of_run(const char* text, const char* end) {
  for (;;) {
    text = skip_plain_ascii(text, end);
    if (text == end || static_cast<unsigned char>(*text) < 0x80) return text;
    const std::size_t length = utf8_sequence(text, end);
    if (length == 0) return text;
    text += length;
  }
}

}  // namespace host::json
