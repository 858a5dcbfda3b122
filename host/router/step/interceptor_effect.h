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

// Moves the structured content of the tool's result to call.tools_result. ResultCheck needs this
// content to find out who wrote a faulty result. Call this function before the result of an
// interceptor replaces `result`.
void keep_tools_result(tool::Call& call, tool::CallResult& result);

// Adds the values and entries of the answer to the call's passport, and notes their names. Earlier
// values with the same name are replaced.
void add_context(tool::Call& call, const config::Interceptor& one, tool::Interception& from);
// Returns the arguments, with the tool's presets, for the interceptor function BeforeCall.
// arguments_for_before() also adds the presets to the call.
std::string arguments_for_before(tool::Call& call, const Route& route);
// Replaces the arguments if they differ, and stores the caller's arguments in call.sent. With the
// caller's arguments, Arguments::prepare() finds out whether the caller or an interceptor caused a
// fault. The presets (fixed arguments) of the tool keep their values.
void change_arguments(tool::Call& call, const Route& route, const config::Interceptor& one,
                      json::Document arguments);

// The way in which an interceptor failed. The text that the client gets depends on the way of the
// failure.
enum class Failed : std::uint8_t {
  Function,         // a function failed, and the log gives the reason
  FunctionAsTold,   // a function failed, and Interceptors::on_failure() has the reason
  NotAnInterceptor  // the plugin does not offer tp.interceptor/1
};
// Returns the result of a call that did not run because an interceptor failed. If the arguments
// that the caller sent are not valid, the result names their faults instead, so that the caller can
// correct them. refused_by_failure() checks the arguments only if `turns` allows it, and `turns`
// counts the time of the check. `turns` is null if the arguments were found valid before.
tool::CallResult refused_by_failure(tool::Call& call, const Route& route,
                                    const config::Interceptor& one, Failed failed,
                                    CheckTurns* turns);
// Call this function after refused_by_failure(). If the caller's idempotency key, session or
// attachments have a fault, the function returns a result that names the fault. If the key, the
// session and the attachments have no fault, the function returns nullopt.
std::optional<tool::CallResult> other_fault_behind_failure(tool::Call& call, const Route& route,
                                                           const AttachmentStep& attachments);
tool::CallResult withheld_by_failure(tool::Call& call, const config::Interceptor& one,
                                     Failed failed);

}  // namespace host::router
