#include "permission/path/path_rules.h"

#include <algorithm>
#include <climits>
#include <vector>

#include "permission/path/glob.h"

namespace host::permission {
namespace {

bool climbs(std::string_view path) {
  const std::vector<std::string_view> parts = path_parts(path);
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

bool is_relative(std::string_view path) {
  return !path.starts_with('/') && path != "~" && !path.starts_with("~/");
}

// `a//b/./c` as `a/b/c`; relative stays relative.
std::string tidy_relative(std::string_view path) {
  return normal_path("/" + std::string(path)).substr(1);
}

// Makes a relative pattern absolute. A pattern that begins with a wildcard stays as it is.
std::string anchored(std::string_view pattern, const Place& place) {
  return pattern.starts_with('*') ? std::string(pattern) : absolute_path(pattern, place);
}

// Same, with the links of its literal folders followed.
std::string with_real_folder(const std::string& pattern) {
  if (!pattern.starts_with('/')) return pattern;
  const std::size_t wild = std::min(pattern.find_first_of("*?[\\"), pattern.size());
  const std::size_t slash = pattern.rfind('/', wild);
  const std::string folder = real_path(std::string_view(pattern).substr(0, slash));
  return (folder == "/" ? "" : folder) + pattern.substr(slash);
}

struct Readings {
  Readings(std::string_view path, const Place& place)
      : absolute(absolute_path(path, place)), normal(normal_path(absolute)) {
    if (is_relative(path) && !climbs(path)) relative = tidy_relative(path);
    real = {real_path(absolute), real_path(normal)};
  }

  std::string absolute;
  std::string normal;
  std::string relative;  // empty: it is not, or climbs
  std::vector<std::string> real;
};

}  // namespace

bool path_touched_by(std::string_view pattern, std::string_view path, const Place& place) {
  if (glob_match(pattern, path)) return true;
  const Readings readings(path, place);
  const std::string whole = anchored(pattern, place);
  const std::string real = with_real_folder(whole);
  const auto fits = [&](std::string_view text) {
    return glob_match(pattern, text) || glob_match(whole, text) || glob_match(real, text);
  };
  return (!readings.relative.empty() && fits(readings.relative)) || fits(readings.normal) ||
         std::any_of(readings.real.begin(), readings.real.end(), fits);
}

bool path_allowed_by(std::string_view pattern, std::string_view path, const Place& place) {
  if (path.empty() || path.size() >= PATH_MAX || path.find('\0') != std::string_view::npos) {
    return false;
  }
  const Readings readings(path, place);
  const std::string whole = anchored(pattern, place);
  const bool logical = glob_match(whole, readings.normal) ||
                       (!readings.relative.empty() && glob_match(pattern, readings.relative));
  if (!logical) return false;
  const std::string real = with_real_folder(whole);
  return std::all_of(readings.real.begin(), readings.real.end(), [&](const std::string& each) {
    return each == readings.normal || glob_match(whole, each) || glob_match(real, each);
  });
}

std::string neighbours_of(std::string_view path, const Place& place) {
  const bool relative = is_relative(path) && !climbs(path);
  const std::string whole =
      relative ? tidy_relative(path) : normal_path(absolute_path(path, place));
  const std::size_t slash = whole.rfind('/');
  if (slash == std::string::npos) return "**";
  std::string pattern;
  // Otherwise a path directly below the root would give a pattern for the whole system.
  for (const char c : slash == 0 ? whole : whole.substr(0, slash)) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return slash == 0 ? pattern : pattern + "/**";
}

}  // namespace host::permission
