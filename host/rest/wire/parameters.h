// The query parameters of a URL. An unknown parameter is an error and is not ignored.
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

// `known` are the allowed names. Each may occur once.
Result<Parameters> read_parameters(std::string_view query,
                                   std::initializer_list<std::string_view> known);

// The parameter `limit`, 1 to `most`; `otherwise` if it is absent.
Result<std::uint32_t> read_limit(const Parameters& parameters, std::uint32_t most,
                                 std::uint32_t otherwise);

// A number, 0 or more; nullopt if it is absent.
Result<std::optional<std::uint64_t>> read_number(const Parameters& parameters,
                                                 std::string_view name);

}  // namespace host::rest
