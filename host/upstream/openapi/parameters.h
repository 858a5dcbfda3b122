// The parameters and the body of an operation, as the arguments of a tool.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "upstream/openapi/api_document.h"
#include "upstream/openapi/operation.h"
#include "upstream/openapi/schema_writer.h"

namespace host::upstream::openapi {

struct Inputs {
  std::vector<Parameter> parameters;
  std::string body_type;      // empty: there is no body
  std::string schema;         // the tool's inputSchema, as JSON
  bool may_override = false;  // an argument could change the method of the request
};

struct Reserved {
  std::set<std::string> headers;  // in lower case: the configuration or a credential sets them
  std::set<std::string> queries;  // a credential sets them
};

// Reads `parameters` of the path and of the operation, and `requestBody`. Optional parameters that
// the host cannot send are left out: cookies, headers of the connection, unknown styles. A required
// one, or a required body that is not JSON, is a refusal.
Result<Inputs> inputs_of(ApiDocument& document, const json::Value& path_item,
                         const json::Value& operation, const std::string& path, bool takes_body,
                         const Reserved& reserved);

}  // namespace host::upstream::openapi
