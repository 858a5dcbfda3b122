// Reads and writes application/x-www-form-urlencoded: the bodies of requests for tokens, and the
// queries of URLs. The functions of form.h have no side effects.
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

// Returns nullopt if an escape is broken, if a name appears twice (RFC 6749, 3.1), or if there are
// more than 32 parameters.
std::optional<Form> read_form(std::string_view text);

// Returns the value of a parameter. The returned text is empty if no parameter has this name.
std::string_view value_of(const Form& form, std::string_view name);

// Returns `url` with the query parameters in `parameters` added. `url` must not have a fragment.
std::string with_query(const std::string& url, const Form& parameters);

}  // namespace host::upstream::oauth
