// Chooses the server of an operation.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "outbound/origin.h"

namespace host::upstream::openapi {

struct ServerChoice {
  std::string base;             // in place of all servers of the document; empty: those apply
  std::string document_url;     // relative servers start here; empty: the document is a file
  outbound::AllowList granted;  // origins of servers
};

// Returns the URL of the first server whose origin is granted, without a slash at its end.
// `servers`: the list of the operation, of its path or of the document; null: there is none.
// Variables get their defaults.
Result<std::string> server_of(const ServerChoice& choice, const json::Value* servers);

// Returns the URL in its normal form, without a slash at its end. Refuses a URL with a user name,
// query or fragment.
Result<std::string> base_of(const std::string& url);

}  // namespace host::upstream::openapi
