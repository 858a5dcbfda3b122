#include "json/schema/uri.h"

#include <algorithm>
#include <charconv>

namespace host::json::schema {
namespace {

// Views of the five parts; has_* tell "absent" from "empty".
struct Parts {
  std::string_view scheme, authority, path, query, fragment;
  bool has_authority = false, has_query = false, has_fragment = false;
};

Parts split(std::string_view uri) {
  Parts parts;
  if (const auto hash = uri.find('#'); hash != std::string_view::npos) {
    parts.fragment = uri.substr(hash + 1);
    parts.has_fragment = true;
    uri = uri.substr(0, hash);
  }
  if (const auto mark = uri.find('?'); mark != std::string_view::npos) {
    parts.query = uri.substr(mark + 1);
    parts.has_query = true;
    uri = uri.substr(0, mark);
  }
  if (const auto colon = uri.find(':');
      colon != std::string_view::npos && is_scheme(uri.substr(0, colon))) {
    parts.scheme = uri.substr(0, colon);
    uri = uri.substr(colon + 1);
  }
  if (uri.starts_with("//")) {
    uri = uri.substr(2);
    parts.has_authority = true;
    parts.authority = uri.substr(0, uri.find('/'));
    uri = uri.substr(parts.authority.size());
  }
  parts.path = uri;
  return parts;
}

std::string remove_dot_segments(std::string_view path) {
  std::string kept;
  const bool absolute = path.starts_with('/');
  while (!path.empty()) {
    const std::size_t slash = path.find('/', path.starts_with('/') ? 1 : 0);
    const std::string_view segment = path.substr(0, slash);
    const std::string_view name = segment.starts_with('/') ? segment.substr(1) : segment;
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
    if (name == "..") kept.erase(std::min(kept.rfind('/'), kept.size()));
    if (name == "." || name == "..") {
      if (path.empty()) kept += '/';
      continue;
    }
    kept += segment;
  }
  if (absolute && !kept.starts_with('/')) kept.insert(0, "/");
  return kept;
}

std::string merge_paths(const Parts& base, std::string_view path) {
  if (base.has_authority && base.path.empty()) return '/' + std::string(path);
  return std::string(base.path.substr(0, base.path.rfind('/') + 1)) + std::string(path);
}

std::string join(const Parts& parts, std::string_view path) {
  std::string uri;
  if (!parts.scheme.empty()) uri.append(parts.scheme).append(":");
  if (parts.has_authority) uri.append("//").append(parts.authority);
  uri.append(path);
  if (parts.has_query) uri.append("?").append(parts.query);
  if (parts.has_fragment) uri.append("#").append(parts.fragment);
  return uri;
}

}  // namespace

bool is_scheme(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

SplitUri split_fragment(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  if (hash == std::string_view::npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string resolve_uri(std::string_view base_uri, std::string_view reference) {
  const Parts base = split(base_uri);
  Parts target = split(reference);
  if (!target.scheme.empty()) return join(target, remove_dot_segments(target.path));
  target.scheme = base.scheme;
  if (target.has_authority) return join(target, remove_dot_segments(target.path));
  target.authority = base.authority;
  target.has_authority = base.has_authority;
  if (target.path.empty()) {
    if (!target.has_query) {
      target.query = base.query;
      target.has_query = base.has_query;
    }
    return join(target, base.path);
  }
  if (target.path.starts_with('/')) return join(target, remove_dot_segments(target.path));
  return join(target, remove_dot_segments(merge_paths(base, target.path)));
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    unsigned byte = 0;
    if (text.size() - at < 3) return std::nullopt;
    const char* const end = text.data() + at + 3;
    if (std::from_chars(text.data() + at + 1, end, byte, 16).ptr != end) return std::nullopt;
    decoded += static_cast<char>(byte);
    at += 2;
  }
  return decoded;
}

}  // namespace host::json::schema
