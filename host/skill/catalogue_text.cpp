#include "skill/catalogue_text.h"

#include <cstdio>

#include "base/text/visible.h"

namespace host::skill {
namespace {

constexpr std::string_view kIntroduction =
    "Skills are instructions to be read, not tools to be called. Before work that one of these "
    "covers, read it with "
    "the tool `Skill`:\n";

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
  while (!text.empty()) {
    const Character next = first_character(text);
    const char32_t point = next.point;
    text.remove_prefix(next.bytes.size());
    const bool is_blank = point == ' ' || point == '\t' || point == '\n' || point == '\r';
    if (is_blank && blank) continue;
    if (characters-- == 0) return out + "...";
    if (is_blank) {
      out += ' ';
    } else if (!next.valid || is_hidden(point)) {
      out += escaped(point);
    } else {
      out += next.bytes;
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
