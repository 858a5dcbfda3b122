// Finds a request's row in a table of routes, by method and path together. A row of the table has a
// route's required scope and the function that answers. A segment `*` of a pattern matches any one
// segment that is not empty. A row can have any type with the members `path` and `method`.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace host::rest {

// Compares two paths segment by segment. both(a, b) returns whether two segments fit.
template <class Both>
constexpr bool each_segment_fits(std::string_view a, std::string_view b, Both both) {
  for (;;) {
    const std::size_t a_end = a.find('/');
    const std::size_t b_end = b.find('/');
    const bool is_last = a_end == std::string_view::npos;
    if (is_last != (b_end == std::string_view::npos)) return false;
    if (!both(a.substr(0, a_end), b.substr(0, b_end))) return false;
    if (is_last) return true;
    a.remove_prefix(a_end + 1);
    b.remove_prefix(b_end + 1);
  }
}

constexpr bool matches(std::string_view pattern, std::string_view path) {
  // Most path patterns differ before their first `*`, so one comparison of texts is enough.
  if (!path.starts_with(pattern.substr(0, pattern.find('*')))) return false;
  return each_segment_fits(pattern, path, [](std::string_view wanted, std::string_view given) {
    return wanted == "*" ? !given.empty() : wanted == given;
  });
}

// Returns the segments that match each `*` of a pattern, in the order of the path. The given path
// must match the pattern.
inline std::vector<std::string> ids_in(std::string_view pattern, std::string_view path) {
  std::vector<std::string> ids;
  each_segment_fits(pattern, path, [&ids](std::string_view wanted, std::string_view given) {
    if (wanted == "*") ids.emplace_back(given);
    return true;
  });
  return ids;
}

// Returns the path below /v1 for a path below its alias /api/v1, and any other path unchanged.
constexpr std::string_view without_alias(std::string_view path) {
  constexpr std::string_view kAlias = "/api";
  return path == "/api/v1" || path.starts_with("/api/v1/") ? path.substr(kAlias.size()) : path;
}

// Returns GET for HEAD, because the host answers HEAD like GET, and otherwise `method`.
constexpr std::string_view method_of_row(std::string_view method) {
  return method == "HEAD" ? std::string_view("GET") : method;
}

// Returns true if the same request could match the row `a` and the row `b`.
template <class Row>
constexpr bool overlap(const Row& a, const Row& b) {
  if (a.method != b.method) return false;
  return each_segment_fits(a.path, b.path, [](std::string_view one, std::string_view other) {
    if (one == "*") return !other.empty();
    return other == "*" ? !one.empty() : one == other;
  });
}

template <class Rows>
constexpr bool each_request_has_one_row(const Rows& rows) {
  for (auto row = std::begin(rows); row != std::end(rows); ++row) {
    for (auto other = row + 1; other != std::end(rows); ++other) {
      if (overlap(*row, *other)) return false;
    }
  }
  return true;
}

// Returns nullptr if no row matches the method and path.
template <class Rows>
constexpr const auto* row_for(const Rows& rows, std::string_view method, std::string_view path) {
  for (const auto& row : rows) {
    if (row.method == method_of_row(method) && matches(row.path, path)) return &row;
  }
  return static_cast<decltype(&*std::begin(rows))>(nullptr);
}

}  // namespace host::rest
