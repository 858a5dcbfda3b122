// Prints upstreams for `toolpost upstream`.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "store/part/pin_store.h"
#include "upstream/connection/secrets.h"

namespace host::cli {

// `upstreams` is an array of objects, as upstream::as_json() writes them. Prints a table of
// upstreams, and then lines with details that do not fit into the table.
void print_upstreams(const json::Value& upstreams);

// Prints the number of definitions of an upstream that wait for a decision, and the command that
// shows these definitions. The function prints nothing if no definition waits for a decision.
void print_held(const json::Value& upstream);

// Prints the definitions that wait for a decision in full, each with the command that accepts the
// definition. `secrets_of` returns the values to hide in the definitions of a record.
using SecretsOf = std::function<upstream::Secrets(const store::PinRecord&)>;
void print_definitions(const std::vector<store::PinRecord>& held, bool as_json,
                       const SecretsOf& secrets_of);

// Prints how the waiting definitions differ from the accepted definitions. If `name` is not empty,
// the function prints only the definitions of this upstream. Returns false if no definition waits
// for a decision.
bool print_differences(const json::Value& upstreams, std::string_view name);

}  // namespace host::cli
