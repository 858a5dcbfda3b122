// The struct Services contains the services that the routes use. Each class of routes (route.h)
// keeps a reference to the services.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "approval/approvals.h"
#include "base/clock.h"
#include "checkout/checkouts.h"
#include "config/config.h"
#include "file/files.h"
#include "identity/authenticator.h"
#include "identity/enrolments.h"
#include "permission/decision/rulebook.h"
#include "plugin/lifecycle/plugin_host.h"
#include "rest/route/configuration.h"
#include "rest/route/events.h"
#include "router/live/live_calls.h"
#include "router/live/live_news.h"
#include "router/step/attachments.h"
#include "router/step/check_turns.h"
#include "router/view/router.h"
#include "router/view/session_bounds.h"
#include "session/sessions.h"
#include "skill/catalog.h"
#include "store/audit/audit.h"
#include "store/desk.h"
#include "task/detached.h"
#include "task/leases.h"
#include "task/records.h"
#include "upstream/manager/upstreams.h"
#include "webhook/webhooks.h"

namespace host::rest {

// The objects behind the references must outlive the routes.
struct Services {
  boost::asio::any_io_executor io;
  const Clock& clock;
  std::shared_ptr<approval::Approvals> approvals;  // null: the host has no store
  const router::Router& router;
  const plugin::PluginHost& plugins;
  upstream::Upstreams& upstreams;
  checkout::Checkouts& checkouts;
  std::function<std::shared_ptr<skill::Catalog>(const tool::Peer& who)> skills;
  store::Audit& audit;
  const config::Audit& kept_audit;  // if its file name is empty: no audit
  router::LiveCalls& calls;
  // Returns the rules that config.toml has.
  std::function<std::vector<permission::OwnedRule>()> rules;
  std::shared_ptr<identity::Enrolments> codes;  // null: the host has no store
  std::shared_ptr<store::Desk> desk;            // null: the host has no store
  const identity::Authenticator& authenticator;
  std::shared_ptr<Events> events;
  const config::Config& config;
  std::shared_ptr<session::Sessions> sessions;
  const router::SessionBounds& session_bounds;
  session::ToolSets& tool_sets;
  task::Records& records;
  task::Detached& detached;
  task::Leases& leases;
  router::CheckTurns& check_turns;  // limits the time that checks of clients' responses take
  router::LiveNews& news;
  std::function<void(std::string_view limit)> on_refusal;  // gets the limit's key in config.toml
  std::shared_ptr<file::Files> files;                      // null: the host has no store
  const router::ResultFiles& result_files;                 // renews the links in results
  std::shared_ptr<webhook::Webhooks> webhooks;             // null: the host has no store
  Configuration& configuration;
  // Sends an order (a request to a running host) to all other running hosts with this store.
  // `action` is the name of the order, such as "upstream-accept". `about` is the argument of the
  // order: "NAME/TOOL DIGEST" accepts the definition of one tool.
  using TellHosts =
      std::function<void(const std::string& action, const std::string& about, std::string by)>;
  TellHosts tell_other_hosts = nullptr;  // null: there are none
};

}  // namespace host::rest
