// Uploaded files as JSON.
#pragma once

#include <string>

#include "store/file_store.h"

namespace host::rest {

// `download_url` empty: the object has none.
std::string as_json(const store::FileRecord& file, const std::string& download_url = {});

}  // namespace host::rest
