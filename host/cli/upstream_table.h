// Upstreams as `toolpost upstream` prints them.
#pragma once

#include <string_view>

#include "json/json.h"

namespace host::cli {

// `upstreams`: an array of objects, as upstream::as_json() writes them. A table, then line by line
// what it has no room for.
void print_upstreams(const json::Value& upstreams);

// What waits for a decision. False: nothing waits. `name` empty: of all.
bool print_differences(const json::Value& upstreams, std::string_view name);

}  // namespace host::cli
