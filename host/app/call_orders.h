// Orders of the command line about calls that outlive their request. They come with those about
// plugins.
#pragma once

#include <string>

#include "base/result.h"
#include "store/host_store.h"

namespace host::app {

class Core;

// PluginOrder::plugin is the id of the call.
inline constexpr const char* kCallCancel = "call-cancel";

bool is_call_order(const store::PluginOrder& order);
// Cancels the call, and notes that in the audit. InvalidArgument: it has ended already. NotFound:
// this host has no such call.
Result<std::string> cancel_by_order(Core& core, const store::PluginOrder& order);

}  // namespace host::app
