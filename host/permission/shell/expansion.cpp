#include "permission/shell/expansion.h"

#include <fnmatch.h>

#include <algorithm>
#include <climits>
#include <cstddef>
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
  if (set != part.npos) wide += '*';
  const auto both_stars = [](char a, char b) { return a == '*' && b == '*'; };
  wide.erase(std::unique(wide.begin(), wide.end(), both_stars), wide.end());
  return wide;
}

// Goes down a pattern, part by part.
class Descent {
 public:
  Descent(std::string from, Budget& budget) : paths_{std::move(from)}, budget_(budget) {}

  // False: the paths cannot be known.
  bool go(std::string_view part) {
    const bool wild = has_wildcard(part);
    const std::string pattern = wild ? widened(part) : std::string();
    next_.clear();
    for (const std::string& path : paths_) {
      if (!(wild ? add_matches(path, pattern) : add(path, part))) return false;
    }
    paths_.swap(next_);
    return true;
  }

  std::vector<std::string> take() { return std::move(paths_); }

 private:
  bool add(const std::string& folder, std::string_view name) {
    const std::size_t size = folder.size() + 1 + name.size();
    if (size >= PATH_MAX || !budget_.take(1 + size / 64)) return false;
    next_.emplace_back().reserve(size);
    next_.back().append(folder).append("/").append(name);
    return true;
  }

  bool add_if_matched(const std::string& folder, const std::string& pattern,
                      const std::string& name) {
    if (++seen_ > kMaxEntries || !budget_.take_pattern(pattern.size())) return false;
    // A backslash here belongs to the name, because quoting ones were already removed.
    return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) != 0 ||
           add(folder, name);
  }

  bool add_matches(const std::string& folder, const std::string& pattern) {
    if (!budget_.take_folder()) return false;
    // Some shells match these two names, which a directory_iterator leaves out. They are also in a
    // folder that an earlier command of the script makes.
    for (const char* const name : {".", ".."}) {
      if (!add_if_matched(folder, pattern, name)) return false;
    }
    std::error_code error;
    std::filesystem::directory_iterator at(folder.empty() ? "/" : folder, error);
    if (error) return is_no_folder(error);
    for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
      if (!add_if_matched(folder, pattern, at->path().filename().native())) return false;
    }
    return !error;
  }

  std::vector<std::string> paths_;
  std::vector<std::string> next_;
  std::size_t seen_ = 0;
  Budget& budget_;
};

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
  Descent descent(from, budget);
  for (const std::string_view part : path_parts(rest)) {
    if (!descent.go(part)) return std::nullopt;
  }
  return descent.take();
}

}  // namespace host::permission::shell
