// The meta-schemas of both drafts, so that a schema may refer to them without a network.
#pragma once

#include <string_view>

#include "json/json.h"

namespace host::json::schema {

// By URI without fragment; nullptr where it is none of them. Lives as long as the process.
const Value* find_metaschema(std::string_view uri);

}  // namespace host::json::schema
