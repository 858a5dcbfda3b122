// Contains the meta-schemas of draft-07 and draft 2020-12, so that a schema can refer to them
// without network access.
#pragma once

#include <string_view>

#include "json/json.h"

namespace host::json::schema {

// Finds a meta-schema by its URI without fragment. Returns nullptr if `uri` is not the URI of a
// meta-schema. The returned meta-schema is valid until the process ends.
const Value* find_metaschema(std::string_view uri);

}  // namespace host::json::schema
