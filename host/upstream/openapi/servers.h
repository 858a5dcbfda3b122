// Chooses the server of an operation.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "outbound/origin.h"

namespace host::upstream::openapi {

struct ServerChoice {
  std::string base;             // unless empty: replaces the document's servers
  std::string document_url;     // the base of relative URLs; empty: the document is a file
  outbound::AllowList granted;  // the origins to which the host may send requests
};

// Returns the URL of the first server whose origin is in `granted`, without a slash at its end.
// `servers` is the list of servers of the operation, of its path or of the document. `servers` can
// be null. server_of() replaces variables in a URL by their default values.
Result<std::string> server_of(const ServerChoice& choice, const json::Value* servers);

// Returns the URL in its normal form, without a slash at its end. Returns an Error if the URL has a
// user name, query or fragment.
Result<std::string> base_of(const std::string& url);

}  // namespace host::upstream::openapi
