// application/x-www-form-urlencoded: bodies of requests for tokens, queries of URLs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace host::upstream::oauth {

using Form = std::vector<std::pair<std::string, std::string>>;

std::string percent_encoded(std::string_view text);
std::string to_string(const Form& form);

// nullopt: an escape is broken, a name comes twice (RFC 6749, 3.1), or there are more than 32
// parameters.
std::optional<Form> read_form(std::string_view text);

// The value of a parameter; empty: there is none.
std::string_view value_of(const Form& form, std::string_view name);

// `url` with further query parameters. It has no fragment.
std::string with_query(const std::string& url, const Form& parameters);

}  // namespace host::upstream::oauth
