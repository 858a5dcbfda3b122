// What kind of file a skill's file is, by its name and its bytes.
#pragma once

#include <string_view>

namespace host::skill {

// UTF-8 without NUL: what a model can read as it is.
bool is_text(std::string_view bytes);

// By the ending; else text/plain or application/octet-stream.
std::string_view media_type(std::string_view path, bool text);

}  // namespace host::skill
