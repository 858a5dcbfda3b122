// Uploaded files as JSON.
#pragma once

#include <string>

#include "store/part/file_store.h"

namespace host::rest {

// `download_url`: empty if the object has no such member.
std::string as_json(const store::FileRecord& file, const std::string& download_url = {});

}  // namespace host::rest
