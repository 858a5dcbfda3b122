// The REST interface: /v1, and its alias /api/v1. Callers were already authenticated, with the
// scope in the table of routes. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "approval/approvals.h"
#include "base/clock.h"
#include "config/config.h"
#include "identity/authenticator.h"
#include "identity/enrolments.h"
#include "identity/scopes.h"
#include "permission/decision/rulebook.h"
#include "plugin/lifecycle/plugin_host.h"
#include "rest/call_news.h"
#include "rest/events.h"
#include "router/live_calls.h"
#include "router/router.h"
#include "skill/catalog.h"
#include "store/audit/audit.h"
#include "store/desk.h"
#include "tool/catalog.h"
#include "transport/http.h"

namespace host::rest {

// References must outlive the routes.
struct Services {
  boost::asio::any_io_executor io;
  const Clock& clock;
  std::shared_ptr<approval::Approvals> approvals;  // null: nothing is stored
  const router::Router& router;
  const plugin::PluginHost& plugins;
  std::function<skill::Catalog&(const std::string& agent)> skills;
  store::Audit& audit;
  const config::Audit& kept_audit;  // an empty file name: no audit
  router::LiveCalls& calls;
  std::vector<permission::OwnedRule> rules;     // of config.toml
  std::shared_ptr<identity::Enrolments> codes;  // null: nothing is stored
  std::shared_ptr<store::Desk> desk;            // null: nothing is stored
  const identity::Authenticator& authenticator;
};

class Api {
 public:
  explicit Api(Services services);

  // The right that a request needs, by its method and path. For a known path with an
  // unknown method, the highest right of its methods. nullopt: the path is not known.
  static std::optional<identity::Scope> scope_of(std::string_view method, std::string_view path);
  // True if the path is below /v1 or /api/v1. There, unknown routes get an error in this
  // interface's form.
  static bool is_below(std::string_view path);
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange,
                                      const identity::Visitor& visitor);

  Events& events() { return *events_; }

 private:
  // A request with the id in its path and its sender.
  struct Asked {
    transport::HttpExchange& exchange;
    std::string id;
    const identity::Visitor& visitor;
  };
  using Answer = boost::asio::awaitable<void> (Api::*)(const Asked&);
  struct Route {
    std::string_view path;  // a last segment `*` is an id
    std::string_view method;
    identity::Scope scope;
    Answer answer;
  };
  static const Route kRoutes[];

  boost::asio::awaitable<void> list_approvals(const Asked& asked);
  boost::asio::awaitable<void> show_approval(const Asked& asked);
  boost::asio::awaitable<void> decide_approval(const Asked& asked);
  boost::asio::awaitable<void> list_audit(const Asked& asked);
  boost::asio::awaitable<void> list_rules(const Asked& asked);
  boost::asio::awaitable<void> remove_rule(const Asked& asked);
  boost::asio::awaitable<void> list_tools(const Asked& asked);
  boost::asio::awaitable<void> list_plugins(const Asked& asked);
  boost::asio::awaitable<void> list_skills(const Asked& asked);
  boost::asio::awaitable<void> show_store(const Asked& asked);
  boost::asio::awaitable<void> follow_events(const Asked& asked);
  boost::asio::awaitable<void> list_calls(const Asked& asked);
  boost::asio::awaitable<void> end_call(const Asked& asked);
  boost::asio::awaitable<void> show_codes(const Asked& asked);
  boost::asio::awaitable<void> enroll_codes(const Asked& asked);
  boost::asio::awaitable<void> confirm_codes(const Asked& asked);
  boost::asio::awaitable<void> renew_recovery(const Asked& asked);
  boost::asio::awaitable<void> remove_codes(const Asked& asked);
  boost::asio::awaitable<void> list_enrolled(const Asked& asked);
  boost::asio::awaitable<void> unlock_enrolled(const Asked& asked);
  boost::asio::awaitable<void> forget_enrolled(const Asked& asked);

  void note_codes(const Asked& asked, const std::string& principal, std::string_view outcome);
  void note_judged(const Asked& asked, const identity::JudgedCode& judged,
                   std::string_view principal, std::string_view approval = {});
  void refuse_code(const Asked& asked, const Error& error, const identity::JudgedCode& judged);
  void answer_about_enrolled(const Asked& asked, const Result<bool>& done,
                             std::string_view outcome);
  // Who did something, for records: "page:anna", "rest:anna".
  static std::string way_of(const identity::Visitor& visitor);

  const Services services_;
  const std::shared_ptr<Events> events_;
  const std::shared_ptr<CallNews> call_news_;
  std::optional<boost::asio::thread_pool> reader_;  // reads the audit; started at the first use
};

}  // namespace host::rest
