#include "router/view/views.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "router/view/preset_tools.h"
#include "router/view/session_view.h"
#include "session/client_tool_provider.h"

namespace host::router {
namespace {

std::shared_ptr<const tool::Snapshot> with_presets_of(const session::Session& session,
                                                      const tool::Snapshot& all) {
  std::vector<tool::Entry> entries = all.entries();
  apply_presets(entries, presets_in(*session.settings.presets), PresetsOf::Session, "a session");
  return std::make_shared<const tool::Snapshot>(std::move(entries), all.offers());
}

// A session without these sees what its agent sees.
bool changes_tools(const session::Settings& settings) {
  return settings.tools || settings.mcp_providers || settings.presets;
}

// Each todo changes the session, and no view of it.
bool have_same_tools(const session::Settings& one, const session::Settings& other) {
  return one.tools == other.tools && one.mcp_providers == other.mcp_providers &&
         one.presets == other.presets;
}

}  // namespace

bool View::offers(const tool::Entry& entry) const {
  const tool::ProviderIdentity& identity = entry.provider->identity();
  if (identity.is_host() && identity.name == kSessionTools) return session != nullptr;
  if (identity.is_host() && identity.name == kSearchTools) return has_many;
  if (!session || !session->settings.groups) return profile->groups().offers(entry);
  return profile->groups().offers(entry, *session->settings.groups);
}

std::vector<std::string> View::active_groups() const {
  const bool narrows = session && session->settings.groups;
  return profile->groups().active(narrows ? &*session->settings.groups : nullptr);
}

Views::Views(tool::Catalog& catalog, const Profiles& profiles, const session::Sessions* sessions)
    : profiles_(profiles), sessions_(sessions) {
  catalog.on_publish([weak = std::weak_ptr(shelf_)] {  // so that replaced providers can retire
    if (const auto shelf = weak.lock()) *shelf = Shelf();
  });
}

void Views::take_client_tools(session::ToolSets& sets, tool::CallerWork& work) {
  sets_ = &sets;
  work_ = &work;
}

std::optional<View> Views::of(const tool::Peer& who) {
  const Profile* const profile = profiles_.find(who.agent);
  if (!profile) return std::nullopt;
  View view{profile->snapshot(), profile, nullptr};
  if (!who.session.empty() && sessions_) {
    view.session = sessions_->find(who.session, who.principal);
    if (!view.session) return std::nullopt;  // it has ended, and what narrowed its calls is unknown
    view.snapshot = snapshot_of(who, view.session, *profile);
  }
  view.has_many = view.snapshot->entries().size() > search_above_ && has_many(view);
  return view;
}

// Once for a snapshot, by what its profile's groups let callers reach.
const Views::Counted& Views::counted(const View& view) const {
  auto& all = shelf_->counted;
  if (all.size() > kMost) all.clear();
  Counted& found = all[view.snapshot.get()];
  if (found.snapshot.lock() == view.snapshot) return found;
  found = {};  // a new one, perhaps in the place of another
  found.snapshot = view.snapshot;
  const Groups& groups = view.profile->groups();
  for (const tool::Entry& entry : view.snapshot->entries()) {
    const std::vector<std::string> needed = groups.needed_by(entry);
    if (needed.empty()) found.always.push_back(&entry);
    for (const std::string& group : needed) found.by_group[group].push_back(&entry);
    if (entry.provider->identity().is_host() || is_run_by_the_host(*entry.tool)) continue;
    if (groups.offers(entry)) ++found.without;
    if (groups.reaches(entry)) ++found.with;
  }
  return found;
}

bool Views::has_many(const View& view) const {
  const Counted& found = counted(view);
  return (view.session ? found.with : found.without) > search_above_;
}

// Entries of a snapshot stand in one array in the order of their names.
std::vector<const tool::Entry*> Views::tools_to_check(const View& view) const {
  const Counted& found = counted(view);
  std::vector<const tool::Entry*> tools = found.always;
  for (const std::string& group : view.active_groups()) {
    const auto more = found.by_group.find(group);
    if (more != found.by_group.end())
      tools.insert(tools.end(), more->second.begin(), more->second.end());
  }
  std::sort(tools.begin(), tools.end());
  tools.erase(std::unique(tools.begin(), tools.end()), tools.end());
  return tools;
}

Views::SnapshotPtr Views::snapshot_of(const tool::Peer& who, const session::SessionPtr& session,
                                      const Profile& profile) {
  const auto skills = skills_of_ ? skills_of_(who, *session) : nullptr;
  SnapshotPtr all = skills ? profile.snapshot_with(skills) : profile.snapshot();
  return changes_tools(session->settings) ? kept(session, all) : all;
}

Views::SnapshotPtr Views::kept(const session::SessionPtr& session, const SnapshotPtr& from) {
  Order& views = shelf_->views;
  auto& by_id = shelf_->by_id;
  const auto known = by_id.find(session->id);
  if (known != by_id.end()) {
    const Order::iterator at = known->second;
    views.splice(views.begin(), views, at);
    if (at->made_from.lock() != from ||
        !have_same_tools(at->session->settings, session->settings)) {
      at->snapshot = make(*session, from);
      at->made_from = from;
    }
    at->session = session;
    return at->snapshot;
  }
  if (views.size() == kMost) {
    by_id.erase(views.back().id);
    views.pop_back();
  }
  views.push_front({session->id, session, from, make(*session, from)});
  by_id.emplace(views.front().id, views.begin());
  return views.front().snapshot;
}

// A name of the catalog has priority: rules of the operator were written for that tool. It can only
// clash if the tool came after the session's.
Views::SnapshotPtr Views::make(const session::Session& session, const SnapshotPtr& from) {
  auto narrowed = narrowed_to(from, session.settings.mcp_providers);
  if (session.settings.presets) narrowed = with_presets_of(session, *narrowed);
  const auto own = sets_ ? sets_->of(session.settings.tools) : nullptr;
  if (!own || own->tools.empty()) return narrowed;
  const auto provider = std::make_shared<session::ClientToolProvider>(own, *work_);
  std::vector<tool::Entry> entries;
  for (const auto& tool : own->tools) {
    if (!narrowed->find(tool->name())) entries.push_back({tool, provider});
  }
  return std::make_shared<const tool::Snapshot>(*narrowed, std::move(entries));
}

}  // namespace host::router
