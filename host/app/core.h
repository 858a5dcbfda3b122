// Every part of a host but its transports, made and wired in one place: what the host is made of
// can be read in the members below, in the order in which they are made; they are stopped in
// reverse.
//
// One thread, the I/O thread, runs io() and owns all of it. The threads that run plugin code belong
// to the plugin host.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <set>
#include <string>

#include "app/agent_skills.h"
#include "app/audit_watch.h"
#include "app/name_check.h"
#include "app/plugin_services.h"
#include "app/session_history.h"
#include "app/webhook_events.h"
#include "approval/gate.h"
#include "base/result.h"
#include "builtin/skill_provider.h"
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
#include "tool/catalog.h"
#include "tool/own_tools.h"
#include "upstream/manager/upstreams.h"
#include "webhook/webhooks.h"

namespace host::app {

class Core {
 public:
  static Result<std::unique_ptr<Core>> create(config::Config config);

  boost::asio::io_context& io() { return io_; }
  const config::Config& config() const { return config_; }
  router::Router& router() { return router_; }
  router::PermissionStep& permission() { return permission_; }
  router::Dispatcher& dispatcher() { return dispatcher_; }
  router::Interceptors& interceptors() { return interceptors_; }
  router::OfferDispatcher& offers() { return offers_; }
  const PluginServices& services() const { return services_; }
  plugin::PluginHost& plugins() { return plugins_; }
  upstream::Upstreams& upstreams() { return upstreams_; }
  skill::Catalog& skills() { return skills_; }
  skill::Catalog& skills_of(std::string_view agent) { return agent_skills_.of(agent); }
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
  // Null: nothing is stored.
  const std::shared_ptr<store::Desk>& desk() const { return desk_; }
  // Null: nothing is stored.
  const std::shared_ptr<file::Files>& files() const { return files_; }
  // Null: nothing is stored.
  const std::shared_ptr<webhook::Webhooks>& webhooks() const { return webhooks_; }
  const std::shared_ptr<approval::Approvals>& people() const { return people_; }
  executor::Scheduler& scheduler() { return scheduler_; }
  const std::shared_ptr<metrics::Registry>& metrics() const { return metrics_; }
  metrics::Refusals& refusals() { return refusals_; }
  router::LiveCalls& live_calls() { return live_calls_; }
  router::LiveNews& news() { return news_; }

  // What a client's model is told before anything else: the operator's words, those of groups that
  // are active for this agent (empty: for none), its skills.
  std::string instructions(const std::string& agent);

  // Tasks are from here on those of the host that is served at this address, and outlive it.
  // `lost`: true of who may not call any more, see Detached. May be null.
  Result<void> keep_tasks_of(const std::string& address, const task::Detached::Who& lost);
  // Loads what there is; from then on folders are watched.
  boost::asio::awaitable<void> start(
      upstream::Connects upstreams = upstream::Connects::AsConfigured);
  // Once started: logs which names of the configuration nothing has, now and after each change.
  // False: some of them forbid something, so nothing may be served.
  bool follow_names();
  // The audit has a line for it, and one for the stop.
  void serves_at(const std::string& address);
  // Where people open the page; see approval::Gate.
  void page_is_at(std::string url) { gate_.page_is_at(std::move(url)); }
  // Calls that wait for a person end as pending. First, so that the transports can answer them.
  void end_waits();
  // Nothing is served any more. Ends every call that is left, and has the audit keep that; then
  // retires every plugin. False: code inside this process runs on, see plugin::PluginHost.
  boost::asio::awaitable<bool> stop();

 private:
  Core(config::Config config, store::Audit audit, std::vector<store::WebhookRecord> webhooks);
  void give_session_tools();
  void tell_webhooks();
  void publish_own_tools();
  void publish_own(std::string_view slot, const std::shared_ptr<tool::Provider>& provider);
  std::shared_ptr<const tool::Tool> tool_of(const tool::Record& record) const;
  boost::asio::awaitable<void> end_calls();
  void report_skill_faults();  // those that were not told yet
  void report_names();
  boost::asio::awaitable<void> follow_rules();
  boost::asio::awaitable<void> take_rules();

  const config::Config config_;
  boost::asio::io_context io_{1};
  store::Audit audit_;
  AuditWatch audit_watch_{io_.get_executor(), audit_};
  const std::shared_ptr<store::Desk> desk_;  // null: nothing is stored
  const std::shared_ptr<metrics::Registry> metrics_ = std::make_shared<metrics::Registry>();
  metrics::Refusals refusals_{*metrics_};
  tool::Catalog catalog_;
  skill::Catalog skills_;
  std::set<std::string> told_skill_faults_;
  NameReports name_reports_;
  bool names_changed_ = false;  // since they were compared
  bool serves_ = false;
  bool stopping_ = false;
  std::shared_ptr<builtin::SkillProvider> skill_tool_;
  std::shared_ptr<tool::OwnTools> session_tools_;  // of callers without an agent
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
  std::vector<store::RuleRecord> stored_rules_;  // that the rulebook was made with
  approval::Gate gate_;
  router::CallMetrics call_metrics_;
  router::LiveCalls live_calls_;
  router::LiveNews news_;
  router::Idempotency idempotency_;
  router::Interceptors interceptors_;
  router::Dispatcher dispatcher_;
  router::OfferDispatcher offers_;
  task::Detached detached_;
  task::Tasks tasks_;
};

}  // namespace host::app
