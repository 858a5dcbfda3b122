#include "skill/catalogue_text.h"

#include <cstdint>
#include <cstdio>

namespace host::skill {
namespace {

constexpr std::string_view kIntroduction =
    "Skills are instructions to be read, not tools to be called. Before work that one of these "
    "covers, read it with "
    "the tool `Skill`:\n";

// The next code point of valid UTF-8, which every Skill's text is.
char32_t next(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t point = lead & (0x3Fu >> static_cast<unsigned>(more));
  while (more-- > 0 && at < text.size())
    point = (point << 6u) | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  return point;
}

bool within(char32_t point, char32_t low, char32_t high) {
  return point >= low && point <= high;
}

// What a reader does not see, or sees elsewhere than it stands.
bool deceives(char32_t point) {
  return point < 0x20 || within(point, 0x7F, 0x9F) || point == 0xAD || point == 0x61C ||
         point == 0x180E || within(point, 0x200B, 0x200F) || within(point, 0x2028, 0x202E) ||
         within(point, 0x2060, 0x206F) || within(point, 0xFE00, 0xFE0F) || point == 0xFEFF ||
         within(point, 0xFFF9, 0xFFFB) || within(point, 0xE0000, 0xE0FFF);
}

std::string escaped(char32_t point) {
  char text[16];
  std::snprintf(text, sizeof text, "\\u{%X}", static_cast<unsigned>(point));
  return text;
}

std::string more_line(std::size_t left) {
  return "- and " + std::to_string(left) + " more: `Skill` with a name that is none lists all.\n";
}

}  // namespace

std::string harmless(std::string_view text, std::size_t characters) {
  std::string out;
  bool blank = true;  // none at the start
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t point = next(text, at);
    const bool is_blank = point == ' ' || point == '\t' || point == '\n' || point == '\r';
    if (is_blank && blank) continue;
    if (characters-- == 0) return out + "...";
    if (is_blank) {
      out += ' ';
    } else if (deceives(point)) {
      out += escaped(point);
    } else {
      out += text.substr(from, at - from);
    }
    blank = is_blank;
  }
  if (blank && !out.empty()) out.pop_back();
  return out;
}

std::string catalogue_text(const std::vector<std::shared_ptr<const Skill>>& skills,
                           std::size_t bytes) {
  if (skills.empty()) return {};
  std::string out(kIntroduction);
  const std::size_t reserve = more_line(skills.size()).size();
  for (std::size_t i = 0; i < skills.size(); ++i) {
    const std::string line =
        "- " + harmless(skills[i]->name, 256) + ": " + harmless(skills[i]->description) + "\n";
    const bool last = i + 1 == skills.size();
    if (out.size() + line.size() + (last ? 0 : reserve) > bytes)
      return out + more_line(skills.size() - i);
    out += line;
  }
  return out;
}

}  // namespace host::skill
