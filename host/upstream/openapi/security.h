// Chooses the credentials of an operation from the security requirements of a document.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "upstream/openapi/api_document.h"
#include "upstream/openapi/operation.h"

namespace host::upstream::openapi {

struct Known {
  std::set<std::string> credentials;  // names of the schemes with a configured value
  std::set<std::string> headers;      // names of the configured headers, in lower case
};

// Returns the credentials of the first alternative of `security` that the configuration has all
// credentials for. A scheme whose header is one of the configured headers needs no other value.
// Null, an empty list or an empty alternative: the operation needs none. Denied: no alternative can
// be used; the message names what is missing.
Result<std::vector<Credential>> credentials_for(ApiDocument& document, const json::Value* security,
                                                const Known& known);

// The names of all schemes in the document, sorted.
std::vector<std::string> schemes_of(const ApiDocument& document);

}  // namespace host::upstream::openapi
