// Makes the arguments of a tool from the parameters and the body of an operation.
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
  std::string body_type;      // empty: the request has no body
  std::string schema;         // the tool's inputSchema, as JSON
  bool may_override = false;  // an argument could change the request's method
};

struct Reserved {
  std::set<std::string> headers;  // plain_header(); the configuration or a credential sets them
  std::set<std::string> queries;  // query parameters that a credential sets
};

// Reads `parameters` of the path and of the operation, and `requestBody`. The function inputs_of()
// omits optional parameters that the host cannot send: cookies, headers of the connection, and
// parameters with unknown styles. Returns an Error if the host cannot send a required parameter, or
// if a required body is not JSON.
Result<Inputs> inputs_of(ApiDocument& document, const json::Value& path_item,
                         const json::Value& operation, const std::string& path, bool takes_body,
                         const Reserved& reserved);

}  // namespace host::upstream::openapi
