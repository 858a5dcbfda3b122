#include <toolpost/ext/call_tool.h>

#include <string>

#include "plugin/instance/abi_text.h"
#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

tp_status call_tool(tp_host* host, const tp_call* call, tp_str tool, tp_str arguments,
                    const tp_reply* reply) {
  if (!call || !readable(tool) || !readable(arguments)) return TP_E_INVALID;
  if (arguments.len > kMostHostCallBytes || tool.len > kMostHostCallBytes) return TP_E_NOMEM;
  std::string bytes;
  BodyWriter(bytes).text(view(tool)).raw(view(arguments));
  return Instance::of(host).host_calls().ask(ServiceId::CallTool, call, std::move(bytes), reply);
}

}  // namespace

extern const tp_call_tool_api kCallToolTable = {sizeof(tp_call_tool_api), 0, &call_tool};

}  // namespace host::plugin
