#include "router/step/arguments.h"

#include "tool/definition/input_rules.h"

namespace host::router {

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
  call.outcome = tool::kBadArguments;
  if (!call.changed_by.empty()) {
    return tool::CallResult::error("\"" + tool.name() + "\" did not run. Interceptor \"" +
                                   call.changed_by +
                                   "\" of this host changed the arguments, and they are not valid "
                                   "now:\n" +
                                   *why);
  }
  return tool::CallResult::error("Invalid arguments for \"" + tool.name() + "\":\n" + *why +
                                 "\nCorrect them and call again.");
}

}  // namespace host::router
