// The part of the catalog that a caller can see: the profile of its agent and its session restrict
// it, and the session adds the tools of its client. Lists, searches and the router use the same
// view. A view is made once for a snapshot and a version of a session, and kept while it is in use.
// I/O thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "router/view/profiles.h"
#include "session/client_tools.h"
#include "session/sessions.h"
#include "tool/call/caller_work.h"
#include "tool/call/peer.h"
#include "tool/provider/catalog.h"

namespace host::router {

struct View {
  std::shared_ptr<const tool::Snapshot> snapshot;
  const Profile* profile = nullptr;
  session::SessionPtr session;  // null: the caller has none
  bool has_many = false;        // the caller can reach so many tools that it may search them

  // True if a group that is active for this caller offers the tool. Tools that work with a session
  // are offered to callers that have one, and tools that search to callers that have many.
  bool offers(const tool::Entry& entry) const;
  // The groups that are active for this caller, sorted.
  std::vector<std::string> active_groups() const;
};

class Views {
 public:
  // The references outlive the object. `sessions`: null if there are no sessions.
  Views(tool::Catalog& catalog, const Profiles& profiles,
        const session::Sessions* sessions = nullptr);
  // From now on, sessions also have the tools of their clients.
  void take_client_tools(session::ToolSets& sets, tool::CallerWork& work);

  // From now on callers that can reach more tools than this have the tools that search. Tools in
  // groups that a session can activate count for its callers.
  void offer_search_above(std::size_t tools) { search_above_ = tools; }

  // nullopt: the agent or session does not exist, so the caller can see nothing.
  std::optional<View> of(const tool::Peer& who);
  // The number of views that are kept.
  std::size_t size() const { return shelf_->views.size(); }

 private:
  static constexpr std::size_t kMost = 256;
  struct Kept {
    std::string id;  // of the session
    std::uint64_t version = 0;
    // The snapshot of the profile. It also changes without a publication, when the skills of its
    // agent change.
    std::weak_ptr<const tool::Snapshot> made_from;
    std::shared_ptr<const tool::Snapshot> snapshot;
  };
  using Order = std::list<Kept>;

  // How many tools a snapshot has for callers without and with a session.
  struct Reach {
    std::weak_ptr<const tool::Snapshot> snapshot;
    std::size_t without = 0;
    std::size_t with = 0;
  };

  struct Shelf {
    Order views;                                                  // the last used first
    std::unordered_map<std::string_view, Order::iterator> by_id;  // views into `views`
    std::unordered_map<const tool::Snapshot*, Reach> reaches;
  };

  bool has_many(const View& view) const;

  std::shared_ptr<const tool::Snapshot> snapshot_of(const session::Session& session,
                                                    const Profile& profile);
  std::shared_ptr<const tool::Snapshot> make(const session::Session& session,
                                             const Profile& profile);

  const Profiles& profiles_;
  const session::Sessions* const sessions_;
  std::size_t search_above_ = SIZE_MAX;
  session::ToolSets* sets_ = nullptr;  // null: clients cannot define tools
  tool::CallerWork* work_ = nullptr;
  const std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();  // emptied by each publication
};

}  // namespace host::router
