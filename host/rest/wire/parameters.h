// Reads the query parameters of a URL. If a query has an unknown parameter, the function returns an
// Error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::rest {

using Parameters = std::map<std::string, std::string, std::less<>>;

// `known` contains the allowed names. Each parameter can occur only once in the query.
Result<Parameters> read_parameters(std::string_view query,
                                   std::initializer_list<std::string_view> known);

// Reads the parameter `limit`, a number from 1 to `most`. Returns `otherwise` if the parameter is
// absent.
Result<std::uint32_t> read_limit(const Parameters& parameters, std::uint32_t most,
                                 std::uint32_t otherwise);

// Reads a parameter whose value is an integer of at least 0. Returns nullopt if the parameter is
// absent.
Result<std::optional<std::uint64_t>> read_number(const Parameters& parameters,
                                                 std::string_view name);

}  // namespace host::rest
