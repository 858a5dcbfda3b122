// Checks the names and content types that clients give to files. Reviewers and plugins see the file
// names and content types that clients give. The host never uses a client's name of a file as part
// of a path.
#pragma once

#include <string_view>

namespace host::file {

inline constexpr std::string_view kFileNameForm =
    "1 to 255 bytes on one line, without hidden characters";
bool is_file_name(std::string_view name);

inline constexpr std::string_view kContentTypeForm =
    "like \"application/pdf\", at most 255 characters";
bool is_content_type(std::string_view type);

}  // namespace host::file
