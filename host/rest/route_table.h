// Finds a request's row in a table of routes, by method and path together, so that the required
// right belongs to the function that answers. A row's `path` may end in `/*`, which matches one
// non-empty segment. Rows can be any type with `path` and `method`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace host::rest {

// The segment that `*` matches, empty if the pattern has none; nullopt: the path does not match.
constexpr std::optional<std::string_view> id_in(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with("/*")) {
    return pattern == path ? std::optional<std::string_view>(std::string_view()) : std::nullopt;
  }
  const std::string_view prefix = pattern.substr(0, pattern.size() - 1);
  if (!path.starts_with(prefix)) return std::nullopt;
  const std::string_view id = path.substr(prefix.size());
  const bool one = !id.empty() && id.find('/') == std::string_view::npos;
  return one ? std::optional<std::string_view>(id) : std::nullopt;
}

// HEAD is answered like GET.
constexpr std::string_view method_of_row(std::string_view method) {
  return method == "HEAD" ? std::string_view("GET") : method;
}

// True if a request could match both rows.
template <class Row>
constexpr bool overlap(const Row& a, const Row& b) {
  if (a.method != b.method) return false;
  // Two patterns with `*` overlap only if their prefixes are equal, because `*` spans no slash.
  return a.path == b.path || id_in(a.path, b.path) || id_in(b.path, a.path);
}

template <class Row, std::size_t Size>
constexpr bool each_request_has_one_row(const Row (&rows)[Size]) {
  for (std::size_t i = 0; i < Size; ++i) {
    for (std::size_t j = i + 1; j < Size; ++j) {
      if (overlap(rows[i], rows[j])) return false;
    }
  }
  return true;
}

// nullptr: no row matches the method and path.
template <class Row, std::size_t Size>
constexpr const Row* row_for(const Row (&rows)[Size], std::string_view method,
                             std::string_view path) {
  for (const Row& row : rows) {
    if (row.method == method_of_row(method) && id_in(row.path, path)) return &row;
  }
  return nullptr;
}

}  // namespace host::rest
