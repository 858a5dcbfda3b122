// Reads YAML as JSON, for documents that the host uses as JSON. It is in this folder because only
// this folder uses the YAML library. Any thread may call it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::skill {

// Limits of one YAML document that is read as JSON.
inline constexpr std::size_t kMostYamlJsonBytes = std::size_t{8} << 20u;
inline constexpr std::size_t kMostYamlJsonLevels = 100;

// Returns the JSON text of one YAML document, by the core schema of YAML 1.2. Keys are texts. An
// infinity and a value that is no number are texts too. The caller parses the text, which can have
// a key twice or a number that is too large. The Error InvalidArgument says what is wrong and
// where: malformed YAML, a second document, an alias, a tag of the author's own, a key that is no
// scalar, or a document beyond the limits, which include one second of CPU time.
Result<std::string> json_of_yaml(std::string_view text);

}  // namespace host::skill
