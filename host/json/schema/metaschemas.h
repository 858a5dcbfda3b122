// Has the meta-schemas of both drafts, so that a schema can refer to them without access to the
// network.
#pragma once

#include <string_view>

#include "json/json.h"

namespace host::json::schema {

// Finds a meta-schema by its URI without fragment. Returns nullptr if `uri` is not the URI of a
// meta-schema. The value is valid until the process ends.
const Value* find_metaschema(std::string_view uri);

}  // namespace host::json::schema
