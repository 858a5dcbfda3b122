// The arguments step of the call pipeline prepares a call's arguments and checks them against the
// tool's schema. If a call has no arguments, the arguments step sets them to {}. Before the check,
// the arguments step removes optional members whose value is null, and sets the tool's presets. The
// functions of this header are called on the I/O thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tool/call/call.h"
#include "tool/call/result.h"
#include "tool/definition/tool.h"

namespace host::router {

// The member of the arguments that has the idempotency key, if the tool does not declare it.
inline constexpr std::string_view kKeyMember = "idempotency_key";

// Returns the faults that the caller of the call must correct, one on each line. `faults` contains
// all faults of the call's arguments. Returns an empty text if an interceptor changed the arguments
// and caused all faults.
std::string callers_faults(tool::Call& call, const tool::Tool& tool, const std::string& faults);

// Returns the faults of the call's arguments before the host has prepared them. Arguments that the
// host itself removes later are not faults.
std::string faults_before(const tool::Call& call, const tool::Tool& tool);

// Returns the result of a call whose arguments its caller must correct, and sets the call's
// outcome. `faults` has one fault on each line.
tool::CallResult invalid_arguments(tool::Call& call, const std::string& tool,
                                   const std::string& faults);

class Arguments {
 public:
  // Changes call.arguments, and writes the text of the arguments to call.arguments_text once for
  // all later steps. If the arguments are not valid, the function returns an isError result that
  // names the member and the rule, so that a model can correct its call. If the arguments are
  // valid, the function returns nullopt.
  std::optional<tool::CallResult> prepare(tool::Call& call, const tool::Tool& tool) const;
};

}  // namespace host::router
