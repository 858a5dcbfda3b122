// Prints upstreams for `toolpost upstream`.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "store/part/pin_store.h"
#include "upstream/connection/secrets.h"

namespace host::cli {

// `upstreams` is an array of objects, as upstream::as_json() writes them. Prints a table, and then
// lines with details that do not fit into it.
void print_upstreams(const json::Value& upstreams);

// Prints how many definitions of an upstream wait for a decision, and the command that shows them.
// The function prints nothing if no definition waits.
void print_held(const json::Value& upstream);

// Prints the complete waiting definitions, each with the command that accepts it. `secrets_of`
// returns the values to hide in the definitions of a record.
using SecretsOf = std::function<upstream::Secrets(const store::PinRecord&)>;
void print_definitions(const std::vector<store::PinRecord>& held, bool as_json,
                       const SecretsOf& secrets_of);

// Prints how the waiting definitions differ from the accepted ones. If `name` is not empty, the
// function prints only the definitions of this upstream. Returns false if no definition waits.
bool print_differences(const json::Value& upstreams, std::string_view name);

}  // namespace host::cli
