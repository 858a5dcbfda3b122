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
    if (changes_tools(view.session->settings)) view.snapshot = snapshot_of(*view.session, *profile);
  }
  view.has_many = view.snapshot->entries().size() > search_above_ && has_many(view);
  return view;
}

// Counted once for a snapshot, by what its profile's groups let callers reach.
bool Views::has_many(const View& view) const {
  auto& reaches = shelf_->reaches;
  if (reaches.size() > kMost) reaches.clear();
  Reach& reach = reaches[view.snapshot.get()];
  if (reach.snapshot.lock() != view.snapshot) {  // a new one, perhaps in the place of another
    reach = {view.snapshot, 0, 0};
    const Groups& groups = view.profile->groups();
    for (const tool::Entry& entry : view.snapshot->entries()) {
      if (entry.provider->identity().is_host() || is_run_by_the_host(*entry.tool)) continue;
      if (groups.offers(entry)) ++reach.without;
      if (groups.reaches(entry)) ++reach.with;
    }
  }
  return (view.session ? reach.with : reach.without) > search_above_;
}

std::shared_ptr<const tool::Snapshot> Views::snapshot_of(const session::Session& session,
                                                         const Profile& profile) {
  Order& views = shelf_->views;
  auto& by_id = shelf_->by_id;
  const auto known = by_id.find(session.id);
  if (known != by_id.end()) {
    const Order::iterator at = known->second;
    views.splice(views.begin(), views, at);
    if (at->version != session.version || at->made_from.lock() != profile.snapshot()) {
      at->snapshot = make(session, profile);
      at->version = session.version;
      at->made_from = profile.snapshot();
    }
    return at->snapshot;
  }
  if (views.size() == kMost) {
    by_id.erase(views.back().id);
    views.pop_back();
  }
  views.push_front({session.id, session.version, profile.snapshot(), make(session, profile)});
  by_id.emplace(views.front().id, views.begin());
  return views.front().snapshot;
}

// A name of the catalog has priority: rules of the operator were written for that tool. It can only
// clash if the tool came after the session's.
std::shared_ptr<const tool::Snapshot> Views::make(const session::Session& session,
                                                  const Profile& profile) {
  auto narrowed = narrowed_to(profile.snapshot(), session.settings.mcp_providers);
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
