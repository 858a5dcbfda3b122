// Applies the effects of interceptors to a call: the context that they add, the notes about them in
// the audit line, and the results of calls whose interceptor failed. The functions of this header
// are called on the I/O thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "json/json.h"
#include "router/step/attachments.h"
#include "router/step/check_turns.h"
#include "router/view/route.h"
#include "tool/call/call.h"
#include "tool/call/interception.h"
#include "tool/call/result.h"

namespace host::router {

// The audit outcome of a call whose tool ran, but whose result the host withholds because an
// interceptor failed.
inline constexpr const char* kWithheld = "result_withheld";

// Notes an action of an interceptor in the call, unless the call has this note already.
void note(tool::Call& call, const config::Interceptor& one, std::string_view what);
void note_failure(tool::Call& call, const config::Interceptor& one);
// Returns the interceptor that last changed the call's result or answered the call. Empty: none.
std::string writer_of_result(const tool::Call& call);

// Moves the structured content of the tool's result to call.tools_result, where ResultCheck reads
// it to find out who wrote a faulty result. Call keep_tools_result() before the result of an
// interceptor replaces `result`.
void keep_tools_result(tool::Call& call, tool::CallResult& result);

// Adds the values and entries of the interceptor's answer to the call's context, and notes their
// names. Earlier values with the same name are replaced.
void add_context(tool::Call& call, const config::Interceptor& one, tool::Interception& from);
// Returns the arguments, with the tool's presets, for the interceptor function BeforeCall.
// arguments_for_before() also adds the presets to the call.
std::string arguments_for_before(tool::Call& call, const Route& route);
// Replaces the call's arguments by the interceptor's, if they differ. Stores the caller's arguments
// in call.sent, so that Arguments::prepare() can find out whether the caller or an interceptor
// caused a fault. The presets (fixed arguments) of the tool keep their values.
void change_arguments(tool::Call& call, const Route& route, const config::Interceptor& one,
                      json::Document arguments);

// How an interceptor failed. The value determines the error text for the client.
enum class Failed : std::uint8_t {
  Function,         // a function failed, and the log gives the reason
  FunctionAsTold,   // a function failed, and Interceptors::on_failure() has the reason
  NotAnInterceptor  // the plugin does not offer tp.interceptor/1
};
// Returns the error result for a call that did not run because an interceptor failed. If the
// arguments that the caller sent are not valid, the error result names their faults, so that the
// caller can correct them. refused_by_failure() checks the arguments only if `turns` allows it, and
// `turns` counts the time of the check. If the arguments were already found valid, `turns` is null.
tool::CallResult refused_by_failure(tool::Call& call, const Route& route,
                                    const config::Interceptor& one, Failed failed,
                                    CheckTurns* turns);
// Call other_fault_behind_failure() after refused_by_failure(). Returns a result that names the
// fault if the caller's idempotency key, session or attachments have a fault. Otherwise, returns
// nullopt.
std::optional<tool::CallResult> other_fault_behind_failure(tool::Call& call, const Route& route,
                                                           const AttachmentStep& attachments);
tool::CallResult withheld_by_failure(tool::Call& call, const config::Interceptor& one,
                                     Failed failed);

}  // namespace host::router
