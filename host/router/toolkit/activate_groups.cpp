#include "router/toolkit/activate_groups.h"

#include <algorithm>
#include <utility>

#include "router/toolkit/own_answer.h"
#include "router/view/profiles.h"
#include "session/edit.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using ActiveGroups = std::vector<std::string>;

bool contains_name(const ActiveGroups& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

ActiveGroups active_in(const session::Settings& settings,
                       const std::vector<config::Group>& switchable) {
  if (settings.groups) return *settings.groups;
  ActiveGroups active;
  for (const config::Group& group : switchable) {
    if (group.active) active.push_back(group.name);
  }
  return active;
}

}  // namespace

awaitable<Result<std::string>> activate_groups(std::shared_ptr<session::Sessions> sessions,
                                               std::string session, std::vector<std::string> names,
                                               const config::Config& config, IsTold is_told) {
  const auto about = std::make_shared<std::string>();
  session::Edit edit = [&config, names = std::move(names), is_told = std::move(is_told), about](
                           const session::Session& before,
                           session::Settings& settings) -> Result<bool> {
    about->clear();
    bool changed = false;
    const auto switchable = switchable_groups(config, config::agent(config, before.agent));
    ActiveGroups active = active_in(settings, switchable);
    for (const config::Group& group : switchable) {
      if (!contains_name(names, group.name) || contains_name(active, group.name)) continue;
      active.push_back(group.name);
      changed = true;
      if (!is_told || is_told(group.name)) *about += about_group(group);
    }
    if (!changed) return false;
    settings.groups = std::move(active);
    return true;
  };
  HOST_CO_TRY(co_await session::edit(std::move(sessions), std::move(session), std::move(edit)));
  co_return *about;
}

}  // namespace host::router
