// Checks the nesting of JSON texts: how many levels of arrays and objects a text has.
#pragma once

#include <cstdint>
#include <string_view>

namespace host::json {

// kMostDepth is the greatest depth that the settings allow for texts of clients
// (`limits.json_depth`).
inline constexpr std::uint32_t kMostDepth = 1024;

// Returns true if arrays and objects in the text are nested deeper than `levels`. nests_deeper()
// does not parse the text, so the text can also be invalid JSON.
bool nests_deeper(std::string_view text, std::uint32_t levels);

}  // namespace host::json
