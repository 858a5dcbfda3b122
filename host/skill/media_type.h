// The media type of a skill's file, by its name and its bytes.
#pragma once

#include <string_view>

namespace host::skill {

// True for UTF-8 without NUL, which a model can read unchanged.
bool is_text(std::string_view bytes);

// The media type by the file name extension, otherwise text/plain or application/octet-stream.
std::string_view media_type(std::string_view path, bool text);

}  // namespace host::skill
