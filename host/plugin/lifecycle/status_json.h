// A plugin's status as JSON, for REST and `toolpost plugins --json`.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"
#include "plugin/lifecycle/status.h"

namespace host::plugin {

std::string_view to_string(config::Isolation isolation);  // worker, inline

std::string as_json(const PluginStatus& status);

// Reads a status from the JSON of as_json(), such as the status that another host process sent. The
// result contains no history of builds.
PluginStatus status_of(const json::Value& object);

}  // namespace host::plugin
