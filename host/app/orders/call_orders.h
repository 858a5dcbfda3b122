// Executes orders of `toolpost` commands to cancel calls that outlive their HTTP request. An order
// is a request that a command stores for a running host. All orders are in one table of the store.
#pragma once

#include <string>

#include "base/result.h"
#include "store/part/host_store.h"

namespace host::app {

class Core;

// The name of the order to cancel a call. In an order to cancel a call, PluginOrder::plugin is the
// id of the call.
inline constexpr const char* kCallCancel = "call-cancel";

bool is_call_order(const store::PluginOrder& order);
// Cancels the call of the order, and writes an audit line. The Error InvalidArgument means that the
// call has already ended. The Error NotFound means that this host has no call with this id.
Result<std::string> cancel_by_order(Core& core, const store::PluginOrder& order);

}  // namespace host::app
