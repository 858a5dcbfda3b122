#include "router/toolkit/reset_tools.h"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "json/object_text.h"
#include "router/toolkit/own_answer.h"
#include "session/edit.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using Names = std::vector<std::string>;
using SharedGroups = std::shared_ptr<const std::vector<config::Group>>;

constexpr const char* kAboutGroups =
    "Sets which groups of tools are active in this session. The arguments are the final state: "
    "each group that is true is active, all others are not. Tools of inactive groups cannot be "
    "called. Activate a group before you need its tools.";

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string groups_schema(const std::vector<config::Group>& groups) {
  std::string properties = "{";
  for (const config::Group& group : groups) {
    std::string property = R"({"type":"boolean","default":false)";
    json::add_text(property, "description", group.description);
    json::add_member(properties, group.name, property + "}");
  }
  return R"({"type":"object","properties":)" + properties + "}}";
}

// The groups that the arguments turn on. The error lists the groups that exist.
Result<Names> wanted_groups(const std::vector<config::Group>& groups,
                            const json::Value& arguments) {
  Names names;
  for (const auto& member : arguments.GetObject()) {
    const std::string_view name = json::text(member.name);
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const config::Group& group) { return group.name == name; });
    if (known == groups.end()) {
      std::string all;
      for (const config::Group& group : groups) all += (all.empty() ? "" : ", ") + group.name;
      return Error{ErrorKind::InvalidArgument,
                   "There is no tool group \"" + std::string(name) +
                       "\". Nothing was changed. The groups are: " + all + "."};
    }
    if (member.value.IsTrue()) names.emplace_back(name);
  }
  return names;
}

bool is_active(const session::Session& session, const config::Group& group) {
  return session.settings.groups ? has(*session.settings.groups, group.name) : group.active;
}

// Which groups are active now, in the order of the configuration, and what the model has to know of
// those that were not.
tool::CallResult groups_report(const std::vector<config::Group>& groups,
                               const session::Session& before, const Names& now) {
  std::string active;
  std::string about;
  for (const config::Group& group : groups) {
    if (!has(now, group.name)) continue;
    active += (active.empty() ? "" : ", ") + group.name;
    if (!is_active(before, group)) about += about_group(group);
  }
  if (active.empty()) return tool::CallResult::text("All tool groups are currently deactivated.");
  return tool::CallResult::text("The currently activated tool group(s): " + active + "." +
                                instructions_block(about));
}

awaitable<void> reset(std::shared_ptr<session::Sessions> sessions, SharedGroups groups,
                      std::shared_ptr<tool::Invocation> invocation, Names now) {
  session::Edit edit = [now](const session::Session&, session::Settings& settings) -> Result<bool> {
    if (settings.groups && *settings.groups == now) return false;
    settings.groups = now;
    return true;
  };
  const auto edited =
      co_await session::edit(sessions, invocation->passport->who.session, std::move(edit));
  if (!edited) {
    invocation->finish(edited.error());
  } else {
    invocation->finish(groups_report(*groups, *edited->before, now));
  }
}

}  // namespace

void add_reset_tools(tool::OwnTools& tools, const boost::asio::any_io_executor& io,
                     std::shared_ptr<session::Sessions> sessions,
                     std::vector<config::Group> groups) {
  if (groups.empty()) return;
  tool::Declaration declaration = tool::own_declaration("reset_tools", "Choose groups of tools",
                                                        kAboutGroups, groups_schema(groups));
  const auto shared = std::make_shared<const std::vector<config::Group>>(std::move(groups));
  tools.add(std::move(declaration), [=](const auto& invocation, const json::Value& arguments) {
    auto now = wanted_groups(*shared, arguments);
    if (!now) return static_cast<void>(invocation->finish(now.error()));
    run_own(io, invocation, "resets the groups of a session",
            reset(sessions, shared, invocation, *std::move(now)));
  });
}

}  // namespace host::router
