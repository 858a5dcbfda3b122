// Writes the description of an uploaded file as a JSON object.
#pragma once

#include <string>

#include "store/part/file_store.h"

namespace host::rest {

// If `download_url` is empty, the object contains no member `download_url`.
std::string as_json(const store::FileRecord& file, const std::string& download_url = {});

}  // namespace host::rest
