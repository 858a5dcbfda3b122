#include "router/step/arguments.h"

#include "tool/definition/input_rules.h"

namespace host::router {

tool::CallResult invalid_arguments(tool::Call& call, const std::string& tool,
                                   const std::string& faults) {
  call.outcome = tool::kBadArguments;
  return tool::CallResult::error("Invalid arguments for \"" + tool + "\":\n" + faults +
                                 "\nCorrect them and call again.");
}

std::optional<tool::CallResult> Arguments::prepare(tool::Call& call, const tool::Tool& tool) const {
  json::Value& arguments = call.arguments.root();
  if (arguments.IsNull()) arguments.SetObject();
  if (const auto why = tool::reserved_member(arguments, tool.input_properties())) {
    return tool::CallResult::error(*why);
  }
  const auto why = tool::fit(call.arguments, {tool.input_tree(), tool.input(), tool.presets()});
  if (!why) {
    call.arguments_text = json::write(arguments);
    call.changed_by.clear();  // what is changed later is another's
    return std::nullopt;
  }
  if (!call.changed_by.empty()) {
    call.outcome = tool::kBadArguments;
    return tool::CallResult::error("\"" + tool.name() + "\" did not run. Interceptor \"" +
                                   call.changed_by +
                                   "\" of this host changed the arguments, and they are not valid "
                                   "now:\n" +
                                   *why);
  }
  return invalid_arguments(call, tool.name(), *why);
}

}  // namespace host::router
