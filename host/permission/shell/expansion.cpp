#include "permission/shell/expansion.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "permission/path/glob.h"

namespace host::permission::shell {
namespace {

constexpr std::size_t kMaxEntries = 4096;  // of all folders that are read

bool is_no_folder(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

// The pattern with stars only. It matches at least everything that any shell and locale would
// match, because they differ in `?` and `[^a]`.
std::string widened(std::string_view part) {
  const std::size_t set = part.find('[');
  std::string wide(part.substr(0, set));
  std::replace(wide.begin(), wide.end(), '?', '*');
  return set == part.npos ? wide : wide + '*';
}

// Adds the entries that match one part of a pattern; false: they cannot be known.
bool add_matches(const std::string& folder, std::string_view part, std::size_t& seen,
                 std::vector<std::string>& to) {
  const std::string pattern = widened(part);
  // A backslash here belongs to the name, because quoting ones were already removed.
  const auto add_if_matched = [&](const std::string& name) {
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0)
      to.emplace_back(folder).append("/").append(name);
  };
  // Some shells match these two names, which a directory_iterator leaves out.
  for (const char* const name : {".", ".."}) add_if_matched(name);
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (++seen > kMaxEntries) return false;
    add_if_matched(at->path().filename().native());
  }
  return !error || is_no_folder(error);
}

// The base folder of a pattern, and the pattern without it, because the folder's own name may
// contain a star.
std::pair<std::string, std::string_view> split(std::string_view pattern, const Place& place) {
  if (pattern.starts_with('/')) return {"", pattern};
  if (pattern == "~" || pattern.starts_with("~/")) return {place.home, pattern.substr(1)};
  return {place.cwd, pattern};
}

const std::string& read(const Word& word, Reading reading) {
  return reading == Reading::Shape ? word.shape : word.text;
}

// A word that is only an unset variable vanishes.
bool may_vanish(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kHole) == text.npos;
}

bool needs_blank(std::string_view before, std::string_view word) {
  return !before.empty() && !may_vanish(before) && !may_vanish(word);
}

bool is_bare(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./@%+,=:~").find(c) != std::string_view::npos;
  });
}

std::string in_quotes(const std::string& text) {
  if (text.find(kHole) != text.npos) return kHole + text + kHole;
  return is_bare(text) ? text : "'" + text + "'";
}

}  // namespace

std::string join(std::span<const Word> words, Reading reading) {
  std::string all;
  for (const Word& word : words) {
    const std::string& text = read(word, reading);
    if (needs_blank(all, text)) all += ' ';
    all += text;
  }
  return all;
}

std::string rejoin(std::span<const Word> words, Reading reading) {
  std::string all;
  for (const Word& word : words) {
    const std::string& text = read(word, reading);
    if (needs_blank(all, text)) all += ' ';
    all += in_quotes(text);
  }
  return all;
}

bool is_open(const Word& word) {
  return word.shape.find(kHole) != word.shape.npos;
}

std::optional<std::vector<std::string>> expansions(std::string_view pattern, const Place& place,
                                                   Budget& budget) {
  const auto [from, rest] = split(pattern, place);
  std::vector<std::string> paths{from};
  std::size_t seen = 0;
  std::size_t counted = 0;
  for (const std::string_view part : path_parts(rest)) {
    std::vector<std::string> next;
    for (const std::string& path : paths) {
      if (!has_wildcard(part)) {
        next.emplace_back(path).append("/").append(part);
      } else if (!add_matches(path.empty() ? "/" : path, part, seen, next)) {
        return std::nullopt;
      }
    }
    paths = std::move(next);
    if (!budget.take(seen - counted) || !budget.take_paths(paths.size())) return std::nullopt;
    counted = seen;
  }
  return paths;
}

}  // namespace host::permission::shell
