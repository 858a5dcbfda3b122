#include "router/step/arguments.h"

#include <algorithm>
#include <string_view>

#include "json/json.h"
#include "tool/call/end_words.h"
#include "tool/definition/definition.h"
#include "tool/definition/input_rules.h"

namespace host::router {
namespace {

std::optional<std::string> fit(json::Document& arguments, const tool::Tool& tool) {
  return tool::fit(arguments, {tool.input_tree(), tool.input(), tool.presets()});
}

// The faults of the arguments as the tool would get them: without what the host itself takes out.
std::string faults_of(json::Document& arguments, const tool::Tool& tool) {
  json::Value& root = arguments.root();
  if (!root.IsObject()) root.SetObject();
  for (const std::string_view own :
       {kKeyMember, std::string_view(tool::kSessionId), std::string_view("attachments")}) {
    if (!tool.declares_argument(own)) root.RemoveMember(json::string(own, arguments.allocator()));
  }
  return fit(arguments, tool).value_or(std::string());
}

bool has_line(std::string_view text, std::string_view line) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end) == line) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool share_line(std::string_view one, std::string_view other) {
  while (!one.empty()) {
    const std::size_t end = std::min(one.find('\n'), one.size());
    if (has_line(other, one.substr(0, end))) return true;
    one.remove_prefix(std::min(end + 1, one.size()));
  }
  return false;
}

}  // namespace

std::string callers_faults(tool::Call& call, const tool::Tool& tool, const std::string& faults) {
  if (faults.empty() || call.changed_by.empty()) return faults;
  if (!call.sent || !share_line(faults, faults_of(*call.sent, tool))) return {};
  return faults;
}

std::string faults_before(const tool::Call& call, const tool::Tool& tool) {
  json::Document arguments;
  arguments.root() = json::copy(call.arguments.root(), arguments.allocator());
  return faults_of(arguments, tool);
}

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
  const auto why = fit(call.arguments, tool);
  if (!why) {
    call.arguments_text = json::write(arguments);
    call.changed_by.clear();  // what is changed later is another's
    call.sent.reset();
    return std::nullopt;
  }
  if (!call.changed_by.empty() && callers_faults(call, tool, *why).empty()) {
    call.outcome = tool::kBadArguments;
    return tool::CallResult::error("\"" + tool.name() + "\" " +
                                   std::string(tool::did_not_run(call)) + ". Interceptor \"" +
                                   call.changed_by +
                                   "\" of this host changed the arguments, and they are not valid "
                                   "now:\n" +
                                   *why);
  }
  return invalid_arguments(call, tool.name(), *why);
}

}  // namespace host::router
