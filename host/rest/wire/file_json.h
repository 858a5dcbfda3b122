// Writes an uploaded file as a JSON object.
#pragma once

#include <string>

#include "store/part/file_store.h"

namespace host::rest {

// If `download_url` is empty, the object has no such member.
std::string as_json(const store::FileRecord& file, const std::string& download_url = {});

}  // namespace host::rest
