// Handles the members of `_meta` that only this host writes, whose names begin with "io.toolpost/".
// The host removes members with this prefix from everything that plugins and upstreams send, so
// that clients can rely on them. Any thread can call the functions of this header.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"

namespace host::tool {

bool is_host_meta(std::string_view member);

// Removes the members that only this host writes from each `_meta` in `value`, at any depth.
void drop_host_meta(json::Value& value);

// Returns `value` as JSON text, without the members of `_meta` that only this host writes.
std::string write_without_host_meta(const json::Value& value);
// Returns `meta`, which is a `_meta` object, as JSON text, without the members that only this host
// writes.
std::string write_foreign_meta(const json::Value& meta);

}  // namespace host::tool
