// Executes orders of `toolpost` commands to cancel calls that outlive their HTTP request. An order
// is a request that a command stores for a running host. All orders are in one table of the store.
#pragma once

#include <string>

#include "base/result.h"
#include "store/part/host_store.h"

namespace host::app {

class Core;

// kCallCancel is a command's request to cancel a call. The id of the call is in
// PluginOrder::plugin.
inline constexpr const char* kCallCancel = "call-cancel";

bool is_call_order(const store::PluginOrder& order);
// Cancels the call whose id is in `order`, and writes an audit line. The Error InvalidArgument
// means that the call has already ended. The Error NotFound means that this host has no call with
// this id.
Result<std::string> cancel_by_order(Core& core, const store::PluginOrder& order);

}  // namespace host::app
