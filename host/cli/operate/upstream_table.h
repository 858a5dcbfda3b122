// Upstreams as `toolpost upstream` prints them.
#pragma once

#include <string_view>
#include <vector>

#include "json/json.h"
#include "store/pin_store.h"

namespace host::cli {

// `upstreams`: an array of objects, as upstream::as_json() writes them. A table, then line by line
// what it has no room for.
void print_upstreams(const json::Value& upstreams);

// What waits for a decision. False: nothing waits. `name` empty: of all.
// The definitions that wait, whole, with the command that accepts each.
void print_definitions(const std::vector<store::PinRecord>& held, bool as_json);

bool print_differences(const json::Value& upstreams, std::string_view name);

}  // namespace host::cli
