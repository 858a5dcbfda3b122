// Makes and connects every part of a host, except its transports. The members of the class Core are
// the parts, in the order in which they are made. The host stops its parts in the reverse order.
//
// One thread, the I/O thread, runs io() and owns all parts. The threads that run plugin code belong
// to the class plugin::PluginHost.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <set>
#include <string>

#include "app/core/agent_skills.h"
#include "app/core/audit_watch.h"
#include "app/core/name_check.h"
#include "app/core/plugin_services.h"
#include "app/core/session_history.h"
#include "app/core/webhook_events.h"
#include "approval/gate.h"
#include "base/result.h"
#include "builtin/skill_provider.h"
#include "checkout/checkouts.h"
#include "config/config.h"
#include "executor/executor.h"
#include "executor/scheduler.h"
#include "file/files.h"
#include "metrics/refusals.h"
#include "metrics/registry.h"
#include "permission/decision/rulebook.h"
#include "plugin/lifecycle/plugin_host.h"
#include "router/dispatch/dispatcher.h"
#include "router/dispatch/offer_dispatcher.h"
#include "router/live/call_metrics.h"
#include "router/live/live_calls.h"
#include "router/live/live_news.h"
#include "router/step/interceptors.h"
#include "router/step/permission_step.h"
#include "router/toolkit/tool_search.h"
#include "router/view/router.h"
#include "router/view/session_bounds.h"
#include "session/client_tools.h"
#include "session/sessions.h"
#include "skill/catalog.h"
#include "store/audit/audit.h"
#include "store/desk.h"
#include "task/detached.h"
#include "task/handovers.h"
#include "task/leases.h"
#include "task/records.h"
#include "task/room.h"
#include "task/tasks.h"
#include "tool/provider/catalog.h"
#include "tool/provider/own_tools.h"
#include "upstream/manager/upstreams.h"
#include "webhook/webhooks.h"

namespace host::app {

class Core {
 public:
  static Result<std::unique_ptr<Core>> create(config::Config config);

  boost::asio::io_context& io() { return io_; }
  // Returns the configuration with which the host started.
  const config::Config& config() const { return config_; }
  // Returns the configuration in effect. In current(), the live keys (config/change/difference.h)
  // have the values that the host last read from config.toml. In current(), all keys that are not
  // live have the values with which the host started.
  const config::Config& current() const { return *current_; }
  router::Router& router() { return router_; }
  router::PermissionStep& permission() { return permission_; }
  router::Dispatcher& dispatcher() { return dispatcher_; }
  router::Interceptors& interceptors() { return interceptors_; }
  // Limits the time for checking the arguments and results of each principal's calls, and for
  // checks outside a call.
  router::CheckTurns& check_turns() { return turns_; }
  router::OfferDispatcher& offers() { return offers_; }
  const PluginServices& services() const { return services_; }
  plugin::PluginHost& plugins() { return plugins_; }
  upstream::Upstreams& upstreams() { return upstreams_; }
  checkout::Checkouts& checkouts() { return checkouts_; }
  skill::Catalog& skills() { return skills_; }
  // Returns the skills that the caller `who` can see.
  std::shared_ptr<skill::Catalog> skills_of(const tool::Peer& who);
  const std::shared_ptr<skill::Repositories>& skill_repositories() const { return repositories_; }
  const router::Profiles& profiles() const { return profiles_; }
  tool::Catalog& catalog() { return catalog_; }
  store::Audit& audit() { return audit_; }
  task::Records& records() { return records_; }
  task::Leases& leases() { return leases_; }
  task::Detached& detached() { return detached_; }
  task::Tasks& tasks() { return tasks_; }
  const std::shared_ptr<session::Sessions>& sessions() const { return sessions_; }
  router::Views& views() { return views_; }
  const router::SessionBounds& session_bounds() const { return session_bounds_; }
  session::ToolSets& tool_sets() { return tool_sets_; }
  // desk() returns null if the host has no store.
  const std::shared_ptr<store::Desk>& desk() const { return desk_; }
  // files() returns null if the host has no store.
  const std::shared_ptr<file::Files>& files() const { return files_; }
  const router::ResultFiles& result_files() const { return result_files_; }
  // webhooks() returns null if the host has no store.
  const std::shared_ptr<webhook::Webhooks>& webhooks() const { return webhooks_; }
  const std::shared_ptr<approval::Approvals>& people() const { return people_; }
  executor::Scheduler& scheduler() { return scheduler_; }
  const std::shared_ptr<metrics::Registry>& metrics() const { return metrics_; }
  metrics::Refusals& refusals() { return refusals_; }
  router::LiveCalls& live_calls() { return live_calls_; }
  router::LiveNews& news() { return news_; }

  // Returns the server instructions for the model of a client: the operator's text, the texts of
  // the groups that are active for the client, and the client's skills.
  std::string instructions(const tool::Peer& who);

  // After keep_tasks_of(), the host at `address` stores its tasks, so that the tasks survive a
  // restart. `lost` returns true for a principal and agent that must not make calls any more, see
  // Detached::take_over(). `lost` can be null.
  Result<void> keep_tasks_of(const std::string& address, const task::Detached::Who& lost);
  // Loads plugins and skills, and begins to watch their folders for changes. After the plugins and
  // skills, start() starts the Git repositories of skills and the upstreams.
  boost::asio::awaitable<void> start(
      upstream::Connects upstreams = upstream::Connects::AsConfigured,
      checkout::Pulls pulls = checkout::Pulls::AsConfigured);
  // Logs names in the configuration that do not exist, now and each time the existing names change.
  // Call follow_names() after start(). Returns false if check_names() finds an error, for example a
  // deny rule for an unknown tool. The host must not serve if check_names() finds an error.
  bool follow_names();
  // Writes an audit line which says that the host serves at `address`.
  void serves_at(const std::string& address);
  // Sets the URL of the console, to which approval requests refer (see approval::Gate).
  void page_is_at(std::string url) { gate_.page_is_at(std::move(url)); }
  // Puts the parameter `now` into effect as the new configuration. Only keys that take effect
  // without a restart may have changed. An upstream also counts as changed if one of its secrets
  // has changed. The function take() returns when the host serves the stored tools of new
  // upstreams.
  boost::asio::awaitable<upstream::Upstreams::Changed> take(config::Config now);
  // Returns the rules of the configuration in effect.
  std::vector<permission::OwnedRule> configured_rules() const;
  // Ends calls that wait for a reviewer or a user. The approval requests of the ended calls stay
  // pending. Call end_waits() before the transports stop, so that the transports can send the
  // responses of the ended calls.
  void end_waits();
  // Ends every remaining call, writes its line to the audit, and then retires every plugin. Call
  // stop() when no transport serves clients any more. Returns false if code of an inline plugin
  // still runs, see plugin::PluginHost::stop().
  boost::asio::awaitable<bool> stop();

 private:
  Core(config::Config config, store::Audit audit, std::vector<store::WebhookRecord> webhooks);
  void note_own_pull(const std::string& name, const std::string& commit, const Result<void>& done);
  void give_session_tools();
  void tell_webhooks();
  void publish_own_tools();
  void publish_own(std::string_view slot, const std::shared_ptr<tool::Provider>& provider);
  std::shared_ptr<const tool::Tool> tool_of(const tool::Record& record) const;
  boost::asio::awaitable<void> end_calls();
  void report_skill_faults();  // reports only new faults
  void read_skills_of_plugins();
  void follow_plugins();
  void report_names();
  boost::asio::awaitable<void> follow_rules();
  boost::asio::awaitable<void> take_rules();
  void make_rules();

  const config::Config config_;
  std::shared_ptr<const config::Config> current_;
  boost::asio::io_context io_{1};
  store::Audit audit_;
  AuditWatch audit_watch_{io_.get_executor(), audit_};
  const std::shared_ptr<store::Desk> desk_;  // null: there is no store
  const std::shared_ptr<metrics::Registry> metrics_ = std::make_shared<metrics::Registry>();
  metrics::Refusals refusals_{*metrics_};
  tool::Catalog catalog_;
  checkout::Checkouts::Made git_skills_;
  const std::shared_ptr<skill::Repositories> repositories_;
  skill::Catalog skills_;
  std::set<std::string> told_skill_faults_;
  NameReports name_reports_;
  bool names_changed_ = false;    // true: names have changed since the last comparison
  bool plugins_changed_ = false;  // true: plugins have changed since read_skills_of_plugins()
  bool serves_ = false;
  bool stopping_ = false;
  std::shared_ptr<builtin::SkillProvider> skill_tool_;
  std::shared_ptr<tool::OwnTools> session_tools_;  // the session tools for callers without an agent
  std::shared_ptr<tool::OwnTools> host_tools_;
  std::shared_ptr<tool::OwnTools> search_tools_;
  task::Records records_;
  task::Room room_;
  task::Leases leases_;
  task::Handovers handovers_;
  SessionHistory history_;
  PluginServices services_;
  plugin::PluginHost plugins_;
  upstream::Upstreams upstreams_;
  checkout::Checkouts checkouts_;
  std::shared_ptr<const permission::Rulebook> rules_;
  executor::Scheduler scheduler_;
  executor::Executor executor_;
  router::Profiles profiles_;
  const std::shared_ptr<session::Sessions> sessions_;
  session::ToolSets tool_sets_;
  const router::SessionBounds session_bounds_;
  AgentSkills agent_skills_;
  router::Views views_;
  router::Router router_;
  router::ToolSearch tool_search_;
  router::PermissionStep permission_;
  const std::shared_ptr<webhook::Webhooks> webhooks_;  // null: nothing is stored
  WebhookEvents webhook_events_;
  const std::shared_ptr<approval::Approvals> people_;  // null: nothing is stored
  const std::shared_ptr<file::Files> files_;           // null: nothing is stored
  approval::Approvals::Follower rules_follower_;
  std::vector<store::RuleRecord> stored_rules_;  // the stored rules that the current rulebook has
  const router::ResultFiles result_files_;
  approval::Gate gate_;
  router::CallMetrics call_metrics_;
  router::LiveCalls live_calls_;
  router::LiveNews news_;
  router::Idempotency idempotency_;
  router::CheckTurns turns_{system_clock()};
  router::Interceptors interceptors_;
  router::Dispatcher dispatcher_;
  router::OfferDispatcher offers_;
  task::Detached detached_;
  task::Tasks tasks_;
};

}  // namespace host::app
