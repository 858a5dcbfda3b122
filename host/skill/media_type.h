// Determines the media type of a skill's file from the file's name and bytes.
#pragma once

#include <string_view>

namespace host::skill {

// Returns true if the bytes are UTF-8 without NUL, so that a model can read them unchanged.
bool is_text(std::string_view bytes);

// Returns the media type for the file name's extension. For an unknown extension, returns
// text/plain if `text` is true, otherwise application/octet-stream.
std::string_view media_type(std::string_view path, bool text);

}  // namespace host::skill
