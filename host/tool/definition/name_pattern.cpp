#include "tool/definition/name_pattern.h"

namespace host::tool {

bool fits_pattern(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  // The shortest text for each star but the last: what comes after it must be at the end.
  for (;;) {
    const std::size_t next = pattern.find('*');
    const std::string_view part = pattern.substr(0, next);
    if (next == std::string_view::npos) return name.ends_with(part);
    const std::size_t at = name.find(part);
    if (at == std::string_view::npos) return false;
    name.remove_prefix(at + part.size());
    pattern.remove_prefix(next + 1);
  }
}

}  // namespace host::tool
