// The meta-schemas of both drafts, so that a schema may refer to them without a network.
#pragma once

#include <string_view>

#include "json/json.h"

namespace host::json::schema {

// By URI without fragment; nullptr if it is not a meta-schema. Valid until the process ends.
const Value* find_metaschema(std::string_view uri);

}  // namespace host::json::schema
