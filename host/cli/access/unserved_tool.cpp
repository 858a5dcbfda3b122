#include "cli/access/unserved_tool.h"

#include <algorithm>

#include "router/view/router.h"
#include "upstream/provider/tool_name.h"

namespace host::cli {
namespace {

// Why a plugin that serves does not offer a tool that its library has. Empty: no setting does that.
std::string disabled_by(app::Core& core, const std::string& tool) {
  if (core.catalog().snapshot()->find(tool)) return {};
  for (const plugin::PluginStatus& status : core.plugins().status()) {
    if (!status.serving || !std::count(status.declared.begin(), status.declared.end(), tool))
      continue;
    const auto set = core.config().plugins.by_name.find(status.name);
    if (set != core.config().plugins.by_name.end()) {
      const auto own = set->second.tools.find(tool);
      if (own != set->second.tools.end() && own->second.enabled == false)
        return "[plugin." + status.name + ".tool." + tool + "]";
    }
    const auto& keys = status.side_keys;
    if (std::count(keys.begin(), keys.end(), "tool." + tool + ".enabled"))
      return "[tool." + tool + "] in " + status.side_file.string();
  }
  return {};
}

// The upstream whose definition of this tool waits for the operator. Empty: there is none.
std::string held_at(app::Core& core, const std::string& tool) {
  for (const upstream::Status& status : core.upstreams().status()) {
    for (const upstream::HeldChange& held : status.held) {
      if (upstream::served_name(status.name, held.tool) == tool) return status.name;
    }
  }
  return {};
}

}  // namespace

Error unserved_tool(app::Core& core, const std::string& agent, const std::string& tool) {
  if (const std::string place = disabled_by(core, tool); !place.empty()) {
    return {ErrorKind::NotFound, "\"" + tool + "\" is disabled: " + place +
                                     " has enabled = false. For callers it is an unknown tool"};
  }
  if (const std::string name = held_at(core, tool); !name.empty()) {
    return {ErrorKind::NotFound, "\"" + tool +
                                     "\" is not served: its definition changed or is new, and "
                                     "waits for your decision. Look with `toolpost upstream diff " +
                                     name + "`. For callers it is an unknown tool"};
  }
  const router::Profile* const profile = core.profiles().find(agent);
  const tool::Entry* const entry = profile ? profile->snapshot()->find(tool) : nullptr;
  const Error unknown = router::unknown_tool(tool, "`toolpost tools` lists the tools");
  if (!entry || profile->groups().offers(*entry)) return unknown;
  const auto groups = profile->groups().switchable_of(*entry);
  if (groups.empty()) return unknown;
  return {ErrorKind::NotFound,
          "\"" + tool + "\" is in the tool group \"" + groups.front() +
              "\", which is not active. For callers without a session it is an unknown tool. A "
              "session can activate the group"};
}

}  // namespace host::cli
