#include "rest/wire/parameters.h"

#include <boost/url/params_view.hpp>
#include <boost/url/parse_query.hpp>

#include <algorithm>
#include <charconv>

namespace host::rest {

Result<Parameters> read_parameters(std::string_view query,
                                   std::initializer_list<std::string_view> known) {
  Parameters out;
  if (query.empty()) return out;
  // Boost.URL 1.81 reads the last value on to what cannot stand in one, past the end of a view: a
  // string of its own ends in a byte that stops it.
  const std::string bounded(query);
  const auto parsed = boost::urls::parse_query(bounded);
  if (!parsed) return Error{ErrorKind::InvalidArgument, "the query is not valid in a URL"};
  boost::urls::encoding_opts decoding;
  decoding.space_as_plus = true;  // as forms of the web have it
  for (const auto& one : boost::urls::params_view(bounded, decoding)) {
    if (std::find(known.begin(), known.end(), one.key) == known.end()) {
      return Error{ErrorKind::InvalidArgument,
                   "unknown parameter \"" + one.key.substr(0, 80) + "\""};
    }
    if (!out.emplace(one.key, one.value).second) {
      return Error{ErrorKind::InvalidArgument, "the parameter \"" + one.key + "\" is there twice"};
    }
  }
  return out;
}

Result<std::optional<std::uint64_t>> read_number(const Parameters& parameters,
                                                 std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::optional<std::uint64_t>();
  const std::string& text = found->second;
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault == std::errc() && end == text.data() + text.size()) return std::optional(number);
  return Error{ErrorKind::InvalidArgument,
               std::string(name) + ": expected a number, not \"" + text.substr(0, 80) + "\""};
}

Result<std::uint32_t> read_limit(const Parameters& parameters, std::uint32_t most,
                                 std::uint32_t otherwise) {
  const auto found = parameters.find("limit");
  if (found == parameters.end()) return otherwise;
  const std::string& text = found->second;
  std::uint32_t limit = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  if (whole && limit >= 1 && limit <= most) return limit;
  return Error{ErrorKind::InvalidArgument, "limit: expected 1 to " + std::to_string(most) +
                                               ", not \"" + text.substr(0, 80) + "\""};
}

}  // namespace host::rest
