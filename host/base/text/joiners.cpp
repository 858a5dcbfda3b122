#include "base/text/joiners.h"

#include <algorithm>
#include <iterator>

#include "base/text/visible.h"

namespace host {
namespace {

constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kEmojiSelector = 0xFE0F;
constexpr char32_t kKeycap = 0x20E3;

struct CodePoints {
  char32_t first;
  char32_t last;
};

template <std::size_t kCount>
bool is_in(const CodePoints (&ranges)[kCount], char32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges), [point](const CodePoints& range) {
    return range.first <= point && point <= range.last;
  });
}

// Blocks of scripts whose writing uses joiners. Both neighbours are of one of them.
constexpr CodePoints kScripts[] = {
    {0x0600, 0x08FF},    // Arabic, Syriac, Thaana, NKo, Mandaic and their supplements
    {0x0900, 0x0DFF},    // Devanagari to Sinhala
    {0x0F00, 0x109F},    // Tibetan, Myanmar
    {0x1780, 0x18AF},    // Khmer, Mongolian
    {0xFB50, 0xFDFF},    // Arabic presentation forms
    {0x11000, 0x1144F},  // Brahmi to Newa
};

// Signs that are emoji, or become one by the selector.
constexpr CodePoints kEmoji[] = {
    {0x00A9, 0x00A9}, {0x00AE, 0x00AE}, {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122},
    {0x2139, 0x2139}, {0x2190, 0x21FF}, {0x2300, 0x23FF}, {0x24C2, 0x24C2}, {0x25A0, 0x27BF},
    {0x2900, 0x297F}, {0x2B00, 0x2BFF}, {0x3030, 0x303D}, {0x3297, 0x3299}, {0x1F000, 0x1FAFF},
};

bool is_key(char32_t point) {
  return point == '#' || point == '*' || (point >= '0' && point <= '9');
}

char32_t point_at(std::string_view text) {
  return text.empty() ? 0 : first_character(text).point;
}

}  // namespace

bool belongs_between(char32_t before, char32_t joiner, char32_t after) {
  const bool in_script =
      is_in(kScripts, before) && is_in(kScripts, after) && !is_hidden(before) && !is_hidden(after);
  switch (joiner) {
    case kNonJoiner:
      return in_script;
    case kJoiner:
      return in_script || ((before == kEmojiSelector || is_in(kEmoji, before)) &&
                           is_in(kEmoji, after) && !is_hidden(after));
    case kEmojiSelector:
      return is_in(kEmoji, before) || (is_key(before) && after == kKeycap);
    default:
      return false;
  }
}

std::string marked_prose(std::string_view text) {
  std::string out;
  char32_t before = 0;  // as it was left; 0 behind a mark
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes.size());
    const bool shown = next.valid && (!is_hidden(next.point) ||
                                      belongs_between(before, next.point, point_at(text)));
    if (shown) {
      out += next.bytes;
    } else {
      out += mark_of(next, Marking::Text);
    }
    before = shown ? next.point : 0;
  }
  return out;
}

}  // namespace host
