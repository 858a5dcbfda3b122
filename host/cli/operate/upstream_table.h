// Prints upstreams for `toolpost upstream`.
#pragma once

#include <string_view>
#include <vector>

#include "json/json.h"
#include "store/part/pin_store.h"

namespace host::cli {

// `upstreams`: an array of objects, as upstream::as_json() writes them. Prints a table, and then
// lines with details that do not fit into it.
void print_upstreams(const json::Value& upstreams);

// Prints the waiting definitions. False: no definition waits. `name`: of this upstream; empty: of
// all. Prints the complete waiting definitions, each with the command that accepts it.
void print_definitions(const std::vector<store::PinRecord>& held, bool as_json);

bool print_differences(const json::Value& upstreams, std::string_view name);

}  // namespace host::cli
