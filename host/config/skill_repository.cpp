#include "config/skill_repository.h"

#include <algorithm>
#include <iterator>

namespace host::config {
namespace {

constexpr std::size_t kMostUrlBytes = 2048;
constexpr std::size_t kMostRefBytes = 255;
constexpr std::size_t kMostPathBytes = 1024;

bool is_plain_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

// As git and ssh read it: a part that begins with - would be an option.
bool is_plain_host(std::string_view authority, bool may_have_user) {
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    if (!may_have_user || user.empty() || user.front() == '-' ||
        user.find_first_of(":@%") != std::string_view::npos)
      return false;
    authority.remove_prefix(at + 1);
  }
  return !authority.empty() && authority.front() != '-' && authority.front() != ':' &&
         authority.find('%') == std::string_view::npos;
}

bool is_this_machine(std::string_view authority) {
  constexpr std::string_view kHere[] = {"127.0.0.1", "localhost", "[::1]"};
  return std::any_of(std::begin(kHere), std::end(kHere), [&](std::string_view here) {
    return authority == here ||
           (authority.starts_with(here) && authority.substr(here.size()).starts_with(':'));
  });
}

// Each part between slashes.
template <class Fits>
bool all_parts(std::string_view path, Fits fits) {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (!fits(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool leads_nowhere_else(std::string_view part) {
  return part != "." && part != "..";
}

}  // namespace

bool is_commit_id(std::string_view ref) {
  return (ref.size() == 40 || ref.size() == 64) && std::all_of(ref.begin(), ref.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string_view scheme_of(std::string_view url) {
  return url.substr(0, url.find("://"));
}

const char* git_url_form(std::string_view text) {
  constexpr const char* kForm =
      "a URL without password, query and fragment: https://HOST/PATH, ssh://USER@HOST/PATH, "
      "file:///PATH, or http://127.0.0.1:PORT/PATH";
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || text.size() > kMostUrlBytes || !is_plain_text(text) ||
      text.find_first_of("?#\\\"'`$|;&<>") != std::string_view::npos)
    return kForm;
  const std::string_view scheme = text.substr(0, end);
  const std::string_view rest = text.substr(end + 3);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || slash + 1 == rest.size()) return kForm;
  const std::string_view authority = rest.substr(0, slash);
  const std::string_view path = rest.substr(slash + 1);
  if (path.starts_with('-') || path.find("::") != std::string_view::npos ||
      !all_parts(path, leads_nowhere_else))
    return kForm;
  const bool fits = (scheme == "https" && is_plain_host(authority, false)) ||
                    (scheme == "ssh" && is_plain_host(authority, true)) ||
                    (scheme == "http" && is_this_machine(authority)) ||
                    (scheme == "file" && authority.empty());
  return fits ? nullptr : kForm;
}

// The rules of git-check-ref-format, and no - or + at the beginning: git would read an option or a
// forced refspec.
const char* git_ref_form(std::string_view text) {
  if (text.empty()) return nullptr;
  const bool is_refused = text.size() > kMostRefBytes || !is_plain_text(text) ||
                          text.front() == '-' || text.front() == '+' || text.ends_with('.') ||
                          text == "@" || text.find_first_of("~^:?*[\\") != std::string_view::npos ||
                          text.find("..") != std::string_view::npos ||
                          text.find("@{") != std::string_view::npos;
  const bool has_plain_parts = all_parts(text, [](std::string_view part) {
    return !part.empty() && !part.starts_with('.') && !part.ends_with(".lock");
  });
  if (!is_refused && has_plain_parts) return nullptr;
  return "a branch, a tag, a name below refs/ or a whole commit id";
}

const char* git_path_form(std::string_view text) {
  if (text.empty()) return nullptr;
  // In front, - begins an option and : a pathspec with magic.
  const bool is_refused = text.size() > kMostPathBytes || text.front() == '-' ||
                          text.front() == ':' || std::any_of(text.begin(), text.end(), [](char c) {
                            return static_cast<unsigned char>(c) < ' ' || c == 0x7f || c == '\\';
                          });
  const bool has_plain_parts = all_parts(text, [](std::string_view part) {
    return !part.empty() && leads_nowhere_else(part) && part != ".git";
  });
  if (!is_refused && has_plain_parts) return nullptr;
  return "a relative path without . and .., such as \"skills\"";
}

}  // namespace host::config
