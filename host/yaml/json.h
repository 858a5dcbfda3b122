// Reads YAML as JSON, for documents that the host uses as JSON. Any thread can call to_json_text().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::yaml {

// The constants below are the limits of one YAML document that is read as JSON.
inline constexpr std::size_t kMostJsonBytes = std::size_t{8} << 20u;
inline constexpr std::size_t kMostJsonLevels = 100;

// Returns the JSON text of one YAML document, by the core schema of YAML 1.2. In the JSON text, all
// keys, infinity and NaN are texts. The caller must parse the JSON text, because the text can
// contain duplicate keys and numbers that are too large. The Error InvalidArgument says what is
// wrong and where. The causes of the Error are malformed YAML, a second document, an alias, a tag
// other than `!`, `!!str`, `!!seq` and `!!map`, a key that is not a scalar, or a document that
// exceeds the limits. The limits include one second of CPU time.
Result<std::string> to_json_text(std::string_view text);

}  // namespace host::yaml
