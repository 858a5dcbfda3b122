// Executes orders that the command line gives about calls that outlive their request. These orders
// are stored in the same table as orders about plugins.
#pragma once

#include <string>

#include "base/result.h"
#include "store/part/host_store.h"

namespace host::app {

class Core;

// PluginOrder::plugin is the id of the call.
inline constexpr const char* kCallCancel = "call-cancel";

bool is_call_order(const store::PluginOrder& order);
// Cancels the call, and records this in the audit. The Error InvalidArgument means that the call
// has already ended. The Error NotFound means that this host has no such call.
Result<std::string> cancel_by_order(Core& core, const store::PluginOrder& order);

}  // namespace host::app
