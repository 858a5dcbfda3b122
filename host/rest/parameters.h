// The query of a URL, as words: what is not known is a fault, not a thing to ignore.
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

// `known` are the names that may stand there, each once.
Result<Parameters> read_parameters(std::string_view query,
                                   std::initializer_list<std::string_view> known);

// The one called `limit`, 1 to `most`; `otherwise` where there is none.
Result<std::uint32_t> read_limit(const Parameters& parameters, std::uint32_t most,
                                 std::uint32_t otherwise);

// One that is a number, 0 or more; nothing where there is none.
Result<std::optional<std::uint64_t>> read_number(const Parameters& parameters,
                                                 std::string_view name);

}  // namespace host::rest
