#include "router/toolkit/find_tools.h"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "json/object_text.h"
#include "router/step/idempotency.h"
#include "router/toolkit/activate_groups.h"
#include "router/toolkit/own_answer.h"
#include "tool/definition/call_tool.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using tool::kCallTool;

constexpr std::size_t kFoundByDefault = 5;

constexpr const char* kNotActivated =
    "\nNo group was activated: here, reset_tools needs an approval, and find_tools cannot ask for "
    "it. Call reset_tools to activate groups.";

constexpr const char* kAboutFind =
    "Finds tools by words of their names, descriptions and groups. There are more tools than your "
    "list shows or than are easy to read: search here before you conclude that there is no tool. "
    "Call a found tool with call_tool, or by its name if your list has it. A tool with \"active\": "
    "false is in a group that is not active in this session; with `activate` its group becomes "
    "active.";

constexpr const char* kFindSchema =
    R"({"type":"object","properties":{)"
    R"("query":{"type":"string","minLength":1,"maxLength":500,"description":"What the tool is to )"
    R"(do, in a few words"},)"
    R"("limit":{"type":"integer","minimum":1,"maximum":50,"default":5,)"
    R"("description":"The most tools to return"},)"
    R"("activate":{"type":"boolean","default":false,"description":"Activate the groups of the )"
    R"(tools that are returned, in addition to those that are active"}},)"
    R"("required":["query"],"additionalProperties":false})";

constexpr const char* kAboutCall =
    "Calls a tool that find_tools has found. `arguments` must fit the inputSchema of that tool. "
    "The call has the effect, the checks and the result of a direct call.";

constexpr const char* kCallSchema =
    R"({"type":"object","properties":{)"
    R"("name":{"type":"string","minLength":1,"maxLength":64,"description":"The tool's name"},)"
    R"("arguments":{"type":"object","description":"The tool's arguments. Left out: none"}},)"
    R"("required":["name"],"additionalProperties":false})";

std::string found_json(const ToolSearch::Found& found) {
  const tool::Declaration& declared = found.tool->declared();
  std::string out = "{";
  json::add_text(out, "name", declared.name);
  if (!declared.title.empty()) json::add_text(out, "title", declared.title);
  json::add_text(out, "description", declared.description);
  json::add_member(out, "inputSchema", found.tool->shown_input());
  json::add_bool(out, "active", found.group.empty());
  if (!found.group.empty()) json::add_text(out, "group", found.group);
  return out + "}";
}

// The groups of the tools that cannot be called yet.
std::vector<std::string> groups_to_activate(const std::vector<ToolSearch::Found>& found) {
  std::vector<std::string> groups;
  for (const ToolSearch::Found& one : found) {
    if (!one.group.empty() && std::find(groups.begin(), groups.end(), one.group) == groups.end())
      groups.push_back(one.group);
  }
  return groups;
}

struct FindWanted {
  std::string query;
  std::size_t most = kFoundByDefault;
  bool activate = false;
};

FindWanted find_wanted(const json::Value& arguments) {
  FindWanted wanted;
  wanted.query = json::find_text(arguments, "query");
  if (const json::Value* const limit = json::find(arguments, "limit"); limit && limit->IsNumber())
    wanted.most = static_cast<std::size_t>(limit->GetDouble());
  const json::Value* const activate = json::find(arguments, "activate");
  wanted.activate = activate && activate->IsTrue();
  return wanted;
}

// `about_groups` follows the tools: what the model has to know of their groups.
tool::CallResult found_result(const std::vector<ToolSearch::Found>& found,
                              const std::string& about_groups) {
  if (found.empty()) {
    auto none = tool::CallResult::text(
        "No tool fits these words. Try other words for what the tool is to do.");
    none.structured = R"({"tools":[]})";
    return none;
  }
  std::string tools;
  for (const ToolSearch::Found& one : found)
    tools += (tools.empty() ? "" : ",\n") + found_json(one);
  auto result = tool::CallResult::text("[" + tools + "]" + about_groups);
  result.structured = "{\"tools\":[" + tools + "]}";
  return result;
}

enum class MayActivate { Yes, AfterApproval, No };

// As a call of reset_tools by the same caller would be judged now.
MayActivate may_activate(const Router& router, PermissionStep& permission,
                         const tool::PassportPtr& passport) {
  tool::Call reset;
  reset.passport = passport;
  reset.name = "reset_tools";
  reset.arguments.root().SetObject();
  const auto route = router.resolve(passport->who, reset.name, passport->origin);
  if (!route || permission.deny_by_name(reset)) return MayActivate::No;
  const auto decision = permission.decide_at_once(reset, *route);
  if (decision && decision->behavior == permission::Behavior::Deny) return MayActivate::No;
  return decision && decision->behavior == permission::Behavior::Allow ? MayActivate::Yes
                                                                       : MayActivate::AfterApproval;
}

awaitable<void> find_tools(ToolSearch& search, const Router& router, PermissionStep& permission,
                           std::shared_ptr<session::Sessions> sessions,
                           const config::Config& config,
                           std::shared_ptr<tool::Invocation> invocation, FindWanted wanted) {
  const tool::Peer who = invocation->passport->who;
  if (wanted.activate && who.session.empty()) {
    invocation->finish(Error{ErrorKind::InvalidArgument,
                             "This call belongs to no session, so no group can be activated. Call "
                             "find_tools without activate."});
    co_return;
  }
  const auto may = [&] { return may_activate(router, permission, invocation->passport); };
  if (wanted.activate && may() == MayActivate::No) {
    invocation->finish(Error{ErrorKind::InvalidArgument,
                             "This caller may not activate groups, so nothing was searched. Call "
                             "find_tools without activate."});
    co_return;
  }
  auto found = co_await search.find(who, std::move(wanted.query), wanted.most);
  if (!found) {
    invocation->finish(found.error());
    co_return;
  }
  std::string about;
  const auto names = groups_to_activate(*found);
  if (wanted.activate && !names.empty() && may() != MayActivate::Yes) {  // rules may have changed
    about = kNotActivated;
  } else if (wanted.activate && !names.empty()) {
    auto activated = co_await activate_groups(sessions, who.session, names, config);
    if (!activated) {
      invocation->finish(activated.error());
      co_return;
    }
    about = instructions_block(*activated);
    for (ToolSearch::Found& one : *found) one.group.clear();
  }
  invocation->finish(found_result(*found, about));
}

}  // namespace

void add_find_tools(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                    ToolSearch& search, const Router& router, PermissionStep& permission,
                    std::shared_ptr<session::Sessions> sessions, const config::Config& config) {
  tools.add(tool::own_declaration("find_tools", "Find tools", kAboutFind, kFindSchema),
            [&search, &router, &permission, &config, io, sessions](const auto& invocation,
                                                                   const json::Value& arguments) {
              run_own(io, invocation, "finds tools",
                      find_tools(search, router, permission, sessions, config, invocation,
                                 find_wanted(arguments)));
            });
}

void add_call_tool(tool::OwnTools& tools) {
  tool::Declaration declaration =
      tool::own_declaration(kCallTool, "Call a found tool", kAboutCall, kCallSchema);
  declaration.destructive = true;  // as the tool that it calls may be
  declaration.idempotent = false;
  declaration.open_world = true;
  tools.add(std::move(declaration), [](const auto& invocation, const json::Value&) {
    invocation->finish(Error{ErrorKind::Internal, "call_tool calls another tool instead"});
  });
}

bool is_call_tool(const Route& route) {
  return route.provider->identity().is_host() && route.tool->name() == kCallTool;
}

std::optional<tool::CallResult> take_inner_call(tool::Call& call, Route& route,
                                                const Router& router,
                                                const PermissionStep& permission,
                                                const Arguments& arguments, std::string* sent) {
  if (!is_call_tool(route)) return std::nullopt;
  if (auto wrong = take_idempotency_key(call, *route.tool)) return wrong;
  if (auto wrong = arguments.prepare(call, *route.tool)) return wrong;
  call.arguments_text.clear();
  json::Value& given = call.arguments.root();
  std::string name(json::find_text(given, "name"));
  json::Value inner(rapidjson::kObjectType);
  if (json::Value* const taken = json::find(given, "arguments")) inner = std::move(*taken);
  given = std::move(inner);
  if (name == kCallTool) {
    call.outcome = tool::kBadArguments;
    return tool::CallResult::error("call_tool cannot call itself. Nothing was called.");
  }
  call.name = std::move(name);
  if (sent) *sent = json::write(given);
  auto found = router.resolve(call.passport->who, call.name, call.passport->origin);
  if (!found) {
    if (auto inactive = router.in_inactive_group(call)) return inactive;
    call.outcome = "unknown_tool";
    return tool::CallResult::error("There is no tool \"" + call.name.substr(0, 80) +
                                   "\" that you can call. find_tools lists what there is.");
  }
  if (found->tool->declared().tasks == tool::TaskUse::Needed) {
    call.outcome = "needs_task";
    return tool::CallResult::error(
        "\"" + call.name +
        "\" runs as a task only, which call_tool cannot make. Call it by "
        "its own name.");
  }
  route = *std::move(found);
  return permission.deny_by_name(call);
}

}  // namespace host::router
