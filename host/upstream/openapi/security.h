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

// Returns the credentials of the first alternative in `security` for which the configuration has
// all values. If the configuration already sets a scheme's header, the scheme needs no further
// value. The function credentials_for() prefers alternatives with at least one credential.
// credentials_for() returns an empty list if only an alternative without credentials can be used,
// or if `security` is null or empty. If no alternative in `security` can be used, the Error Denied
// gives the reason.
Result<std::vector<Credential>> credentials_for(ApiDocument& document, const json::Value* security,
                                                const Known& known);

// Returns the names of all security schemes in the document, sorted.
std::vector<std::string> schemes_of(const ApiDocument& document);

}  // namespace host::upstream::openapi
