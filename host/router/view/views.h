// A view is the part of the catalog that a caller can see. The profile of the caller's agent and
// the caller's session restrict the catalog. The session adds the tools of its client. Views makes
// one view for each snapshot and session, and reuses the view until the session's tool settings
// change. The functions of this header are called on the I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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
  session::SessionPtr session;  // null: the caller has no session
  // If true, the caller can reach many tools and so gets the host's search tools.
  bool has_many = false;

  // Returns true if a group that is active for this caller offers the tool. The host's tools that
  // work with a session are offered only to callers with a session. The host's search tools
  // (find_tools, call_tool) are offered only to callers that can reach many tools.
  bool offers(const tool::Entry& entry) const;
  // Returns the groups that are active for this caller, sorted.
  std::vector<std::string> active_groups() const;
};

class Views {
 public:
  // The referenced objects must outlive the Views. If `sessions` is null, no caller has a session.
  Views(tool::Catalog& catalog, const Profiles& profiles,
        const session::Sessions* sessions = nullptr);
  // After take_client_tools(), sessions also see the tools that their clients execute.
  void take_client_tools(session::ToolSets& sets, tool::CallerWork& work);

  // After this call, a session can have other skills than its agent. `skills` returns
  // the provider of the session's Skill tool, resources and prompts, or null if the session has the
  // skills of its agent.
  void take_session_skills(
      std::function<std::shared_ptr<tool::Provider>(const tool::Peer& who, const session::Session&)>
          skills) {
    skills_of_ = std::move(skills);
  }

  // After this call, callers that can reach more than `tools` tools get the host's search tools.
  // The number of tools that a caller can reach includes tools in groups that the caller's session
  // can activate.
  void offer_search_above(std::size_t tools) { search_above_ = tools; }

  // Returns the view of a caller. Returns nullopt if the caller's agent or session does not exist,
  // so the caller can see no tools.
  std::optional<View> of(const tool::Peer& who);
  // Returns the tools that the host can offer to the caller, ordered by name: every tool for which
  // offers() is true, and perhaps other tools. In a large catalog, this function is far quicker
  // than calling offers() for each tool.
  std::vector<const tool::Entry*> tools_to_check(const View& view) const;
  // Returns the number of views in the cache.
  std::size_t size() const { return shelf_->views.size(); }

 private:
  static constexpr std::size_t kMost = 256;
  struct Kept {
    std::string id;  // the id of the session
    session::SessionPtr session;
    // The snapshot of the agent's profile, with the session's skills if these differ. A change of
    // skills makes a new snapshot, although the catalog publishes nothing.
    std::weak_ptr<const tool::Snapshot> made_from;
    std::shared_ptr<const tool::Snapshot> snapshot;
  };
  using Order = std::list<Kept>;

  // The cached numbers and lists of the tools that callers can reach in a snapshot.
  struct Counted {
    std::weak_ptr<const tool::Snapshot> snapshot;
    std::size_t without = 0;  // the number of tools that callers without a session can reach
    std::size_t with = 0;
    std::vector<const tool::Entry*> always;  // the tools that need no group
                                             // (in the snapshot's order)
    std::unordered_map<std::string, std::vector<const tool::Entry*>> by_group;
  };

  struct Shelf {
    Order views;                                                  // the most recently used first
    std::unordered_map<std::string_view, Order::iterator> by_id;  // the keys point into `views`
    std::unordered_map<const tool::Snapshot*, Counted> counted;
  };

  const Counted& counted(const View& view) const;
  bool has_many(const View& view) const;

  using SnapshotPtr = std::shared_ptr<const tool::Snapshot>;

  SnapshotPtr snapshot_of(const tool::Peer& who, const session::SessionPtr& session,
                          const Profile& profile);
  SnapshotPtr kept(const session::SessionPtr& session, const SnapshotPtr& from);
  SnapshotPtr make(const session::Session& session, const SnapshotPtr& from);

  const Profiles& profiles_;
  const session::Sessions* const sessions_;
  std::size_t search_above_ = SIZE_MAX;
  session::ToolSets* sets_ = nullptr;  // null: clients cannot supply tools
  tool::CallerWork* work_ = nullptr;
  std::function<std::shared_ptr<tool::Provider>(const tool::Peer&, const session::Session&)>
      skills_of_;  // null: sessions have the skills of their agents
  const std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();  // The cache of all views.
                                                                    // The cache is cleared when
                                                                    // there is a new snapshot.
};

}  // namespace host::router
