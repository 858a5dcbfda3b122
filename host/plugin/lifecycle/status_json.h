// A plugin's status as JSON, for REST and `toolpost plugins --json`.
#pragma once

#include <string>
#include <string_view>

#include "plugin/lifecycle/status.h"

namespace host::plugin {

std::string_view to_string(config::Isolation isolation);  // worker, inline

std::string as_json(const PluginStatus& status);

}  // namespace host::plugin
