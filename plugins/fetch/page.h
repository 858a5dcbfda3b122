// What came over HTTP as something for a model to read.
#pragma once

#include <string>
#include <string_view>

enum class Form { Text, Raw };

// The media type in small letters, without parameters.
std::string media_type(std::string_view content_type);

// Something that is read as it stands, be it HTML, JSON or source.
bool is_text(std::string_view media_type);

// The body as UTF-8, from the charset that content_type names (ISO 8859-1 and its like; all else is
// taken for UTF-8, and mended). HTML is made readable where form is Text.
std::string page_text(std::string_view content_type, std::string_view body, Form form);
