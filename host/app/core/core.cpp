#include "app/core/core.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/core/part_settings.h"
#include "app/core/rule_change.h"
#include "app/core/settings_check.h"
#include "app/core/state_check.h"
#include "app/core/webhook_settings.h"
#include "app/version.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "config/key/show.h"
#include "identity/code_audit.h"
#include "permission/decision/stored_rules.h"
#include "permission/path/dangerous_path.h"
#include "router/toolkit/ask_user.h"
#include "router/toolkit/find_tools.h"
#include "router/toolkit/reset_tools.h"
#include "router/toolkit/skill_groups.h"
#include "router/toolkit/todo_write.h"
#include "skill/folder_repository.h"
#include "webhook/webhook_json.h"

namespace host::app {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kCallsToEnd{1000};

permission::Place place_of_host() {
  std::error_code error;
  const char* home = std::getenv("HOME");
  return {home && *home ? home : "/", fs::current_path(error).string()};
}

// `names`: of check_names(). What else the log tells ends no start.
std::vector<config::Diagnostic> with_refused_presets(Core& core,
                                                     std::vector<config::Diagnostic> names) {
  for (config::Diagnostic& one : refused_presets(core)) names.push_back(std::move(one));
  return names;
}

bool asks(const config::Approval& approval, std::string_view whom) {
  return std::find(approval.ask.begin(), approval.ask.end(), whom) != approval.ask.end();
}

// So that no Git repository replaces a skill in a folder of the operator.
std::vector<std::unique_ptr<skill::SkillRepository>> repositories_of(
    std::vector<std::unique_ptr<skill::SkillRepository>> pulled, const config::Skills& skills) {
  for (auto& folder : skill::folder_repositories(skills)) pulled.push_back(std::move(folder));
  return pulled;
}

}  // namespace

Result<std::unique_ptr<Core>> Core::create(config::Config config) {
  // Also where nothing is read from it yet: over stdio the store is opened by who needs it.
  HOST_TRY(check_state(config).all());
  HOST_TRY_ASSIGN(
      store::Audit audit,
      store::Audit::open(
          config.audit.file, system_clock(), {config.audit.rotate_bytes, config.audit.rotate},
          config.audit.required ? store::Audit::Required::Yes : store::Audit::Required::No));
  HOST_TRY_ASSIGN(auto webhooks, configured_webhooks(config));
  return std::unique_ptr<Core>(new Core(std::move(config), std::move(audit), std::move(webhooks)));
}

Core::Core(config::Config config, store::Audit audit, std::vector<store::WebhookRecord> webhooks)
    : config_(std::move(config)),
      current_(std::shared_ptr<const config::Config>(), &config_),
      audit_(std::move(audit)),
      desk_(desk_of(config_, io_.get_executor(), refusals_)),
      git_skills_(checkout::Checkouts::make(config_.skill_repositories)),
      repositories_(std::make_shared<skill::Repositories>(
          repositories_of(std::move(git_skills_.repositories), config_.skills),
          config_.skills.live ? skill::Live::Yes : skill::Live::No)),
      skills_(repositories_, skills_of_host(config_)),
      skill_tool_(std::make_shared<builtin::SkillProvider>(skills_, config_.skills.catalogue_bytes,
                                                           build_of_host())),
      records_(io_.get_executor(), system_clock()),
      room_(records_, room_limits(config_.limits, refusals_)),
      leases_(system_clock(), records_, room_,
              {config_.call.heartbeat_timeout, config_.call.pickup_timeout, config_.call.keep},
              [this](const tool::Record& record) { return tool_of(record); }),
      handovers_(io_.get_executor(), records_, leases_, room_, config_.approval.wait),
      history_(config_),
      services_(io_.get_executor(), config_, desk_, history_),
      plugins_(io_.get_executor(), plugin_options(config_, services_, handovers_, metrics_),
               catalog_),
      upstreams_(io_.get_executor(), config_, info_of(config_), desk_, catalog_, *metrics_,
                 upstream::keeper_beside_host()),
      checkouts_(
          io_.get_executor(), config_, git_skills_.pinned, desk_, upstream::keeper_beside_host(),
          [this](const std::string& source) { repositories_->list_again(source); },
          [this](const std::string& name, const std::string& commit, const Result<void>& done) {
            note_own_pull(name, commit, done);
          }),
      rules_(std::make_shared<const permission::Rulebook>(
          permission::make_rulebook(config_, place_of_host(), {}))),
      scheduler_(io_.get_executor(), scheduler_settings(config_, refusals_)),
      executor_(io_.get_executor()),
      profiles_(catalog_, config_),
      sessions_(std::make_shared<session::Sessions>(io_.get_executor(), desk_, system_clock(),
                                                    session_limits(config_.limits, refusals_))),
      session_bounds_(config_, profiles_, tool_sets_),
      agent_skills_(config_, repositories_, skills_, catalog_, profiles_),
      views_(catalog_, profiles_, sessions_.get()),
      router_(views_, rules_),
      tool_search_(views_, router_),
      permission_(rules_, executor_, sessions_),
      webhooks_(webhooks_of(config_, io_.get_executor(), desk_, refusals_, std::move(webhooks))),
      webhook_events_(webhooks_, sessions_),
      people_(people_of(config_, io_.get_executor(), desk_, refusals_, webhook_events_)),
      files_(files_of(config_, io_.get_executor(), desk_, refusals_)),
      result_files_(config_.files.result_links ? files_ : nullptr,
                    config_.limits.inline_blob_bytes),
      gate_(asks(config_.approval, "client"), asks(config_.approval, "page") ? people_ : nullptr,
            {config_.approval.priv_grace, system_clock()}),
      call_metrics_(*metrics_),
      idempotency_(io_.get_executor(), desk_, idempotency_settings(config_, refusals_)),
      interceptors_(catalog_, executor_, config_.interceptors, config_.limits.body_bytes, turns_),
      dispatcher_({router_, permission_, gate_, scheduler_, executor_, audit_, system_clock(),
                   config_.limits.result_bytes, call_metrics_, live_calls_, idempotency_,
                   router::SessionStep(sessions_), &news_,
                   config_.interceptors.empty() ? nullptr : &interceptors_, &handovers_,
                   router::AttachmentStep(files_, config_.limits.attachments_per_call), desk_,
                   webhooks_ ? &webhook_events_ : nullptr, result_files_},
                  turns_),
      offers_({views_, scheduler_, executor_, audit_, system_clock(), config_.limits.result_bytes,
               call_metrics_, live_calls_}),
      detached_({io_.get_executor(), system_clock(), records_, leases_, room_,
                 [this](tool::Call& call) { return dispatcher_.call(call); },
                 [this](const tool::Record& record) { return tool_of(record); },
                 [this](const std::string& session) { sessions_->touch(session); },
                 [this] { audit_.flush(); }, !config_.interceptors.empty(),
                 [this](const std::string& record) { return handovers_.has_call(record); },
                 [this](const std::string& record) { return tasks_.has_call(record); },
                 [this](const std::string& session) { return sessions_->find(session) != nullptr; },
                 [this](const auto& call, const auto& result) { audit_.record(call, result); }},
                detached_settings(config_.limits)),
      tasks_(io_.get_executor(), system_clock(), records_, task_limits(config_.limits)) {
  services_.call_tools_by(dispatcher_);
  tasks_.keep_keys_by(idempotency_);
  detached_.keep_keys_by(idempotency_);
  if (history_.is_read()) {
    dispatcher_.on_call([this](const auto& call, const auto& arguments, const auto& result) {
      history_.ended(call, arguments, result);
    });
  }
  views_.take_client_tools(tool_sets_, handovers_);
  handovers_.finish_by([this](const task::RecordPtr& record) { detached_.finish(record); });
  executor_.tell_dangerous_paths(
      permission::places(config_.permission.dangerous_paths, place_of_host()));
  gate_.on_code([this](const tool::Call& call, const identity::JudgedCode& judged) {
    identity::CodeGiver giver;
    const tool::Passport& by = *call.passport;
    giver.principal = giver.by = by.who.principal;
    giver.address = by.remote;
    giver.session = by.who.session;
    giver.call = by.call;
    identity::note_refused_code(audit_, judged, giver);
  });
  give_session_tools();
  if (webhooks_) tell_webhooks();
  skill_tool_->on_change([this] { publish_own_tools(); });
  skill_tool_->on_update([this](const std::string& uri) { catalog_.resource_updated(uri); });
  skills_.on_change([this] { report_skill_faults(); });
  sessions_->on_change([this](const session::SessionPtr& before, const session::SessionPtr& now) {
    if (people_ && !session::act_alike(before->settings, now->settings))
      people_->judge_session_again(now->id);
    const auto removed = session::removed_tools(before->settings.tools, now->settings.tools);
    if (!removed.empty()) detached_.end_of_tools(now->id, removed);
  });
  sessions_->on_end([this](const session::SessionPtr& session) {
    detached_.end_session(session->id);  // first: it says why they ended
    live_calls_.end_of(
        [&session](const tool::Call& call) { return call.passport->who.session == session->id; },
        Cancel::By::Asker);
    history_.forget(session->id);
  });
}

// Calls whose client waits, and approvals, are told where they are made.
void Core::tell_webhooks() {
  records_.complete_by([this](tool::Record& record) { webhook_events_.add_webhooks(record); });
  records_.announce_by([this](const tool::Record& record, const tool::Transition& transition) {
    return webhook_events_.of_transition(record, transition);
  });
  plugins_.on_quarantine([this](const std::string& plugin, const std::string& reason) {
    webhook_events_.quarantined(plugin, reason);
  });
  upstreams_.on_held([this](const std::string& upstream, const std::vector<std::string>& tools) {
    webhook_events_.held(upstream, tools);
  });
  metrics::Family& attempts =
      metrics_->add({"toolpost_webhook_attempts_total",
                     metrics::Kind::Counter,
                     "Attempts to deliver an event to a webhook, by how they ended.",
                     {"outcome"},
                     {},
                     2});
  webhooks_->count_by([&attempts](std::uint64_t accepted, std::uint64_t failed) {
    attempts.ensure({"accepted"}).value += static_cast<double>(accepted);
    attempts.ensure({"failed"}).value += static_cast<double>(failed);
  });
  webhooks_->on_disabled([this](const store::WebhookRecord& record) {
    audit_.note(store::AuditEvent::Webhook, {{"id", record.id},
                                             {"url", webhook::shown_url(record.url)},
                                             {"by", "host"},
                                             {"outcome", "disabled"},
                                             {"reason", record.reason}});
    audit_.flush();
  });
}

// The pulls that operators request have their own lines.
void Core::note_own_pull(const std::string& name, const std::string& commit,
                         const Result<void>& done) {
  audit_.note(store::AuditEvent::Skill, {{"repository", name},
                                         {"commit", commit},
                                         {"action", "skill-pull"},
                                         {"by", "host"},
                                         {"outcome", done ? "done" : "failed"},
                                         {"reason", done ? std::string() : done.error().message}});
  audit_.flush();
}

// Each profile's own, because its groups are its own.
void Core::give_session_tools() {
  const auto make = [this](const config::Agent* agent) {
    const auto tools =
        std::make_shared<tool::OwnTools>(std::string(router::kSessionTools), build_of_host());
    if (config_.group_tools.meta_tool) {
      router::add_reset_tools(*tools, io_.get_executor(), sessions_,
                              router::switchable_groups(config_, agent));
    }
    router::add_todo_write(*tools, io_.get_executor(), sessions_,
                           todo_limits(config_.limits, refusals_));
    return tools;
  };
  session_tools_ = make(nullptr);
  host_tools_ = std::make_shared<tool::OwnTools>(std::string(router::kHostTools), build_of_host());
  router::add_ask_user(*host_tools_);
  search_tools_ =
      std::make_shared<tool::OwnTools>(std::string(router::kSearchTools), build_of_host());
  router::add_find_tools(*search_tools_, io_.get_executor(), tool_search_, router_, permission_,
                         sessions_, config_);
  router::add_call_tool(*search_tools_);
  views_.offer_search_above(config_.group_tools.search_above);
  const builtin::SkillProvider::Finish finish =
      [this](const auto& invocation, std::vector<std::string> groups, tool::CallResult read) {
        router::finish_skill_read(io_.get_executor(), sessions_, config_, views_, router_,
                                  invocation, std::move(groups), std::move(read));
      };
  skill_tool_->finish_reads_by(finish);
  agent_skills_.finish_reads_by(finish);
  views_.take_session_skills([this](const tool::Peer& who, const session::Session& session) {
    return agent_skills_.provider_of(who.agent, session);
  });
  for (const auto& [name, agent] : config_.agents)
    profiles_.find(name)->set_session_tools(make(&agent));
}

// Null: it is not served any more.
std::shared_ptr<const tool::Tool> Core::tool_of(const tool::Record& record) const {
  const tool::Peer who{record.principal, record.agent, record.session};
  // The host calls no priv_ tool, and clients call no post_ tool.
  for (const tool::Origin origin : {tool::Origin::Host, tool::Origin::Peer}) {
    if (const auto route = router_.resolve(who, record.tool, origin)) return route->tool;
  }
  return nullptr;
}

void Core::publish_own_tools() {
  publish_own(router::kBuiltin, skill_tool_);
  publish_own(router::kSessionTools, session_tools_);
  publish_own(router::kHostTools, host_tools_);
  publish_own(router::kSearchTools, search_tools_);
}

void Core::publish_own(std::string_view slot, const std::shared_ptr<tool::Provider>& provider) {
  for (const tool::Refusal& refusal : catalog_.set(std::string(slot), provider)) {
    log::error("app", "a tool of the host's own is not served",
               {{"tool", refusal.tool}, {"reason", refusal.reason}});
  }
}

void Core::report_skill_faults() {
  std::set<std::string> now;
  for (const config::Diagnostic& fault : skills_.state().diagnostics) {
    const auto [line, fresh] = now.insert(fault.headline());
    if (fresh && !told_skill_faults_.contains(*line)) log::warning("skill", *line);
  }
  told_skill_faults_ = std::move(now);
}

bool Core::follow_names() {
  const std::vector<config::Diagnostic> now = check_names(*this);
  name_reports_.report(with_refused_presets(*this, now));
  if (config::has_error(now)) return false;
  catalog_.on_publish([this] { report_names(); });  // also for what no list shows
  skills_.on_change([this] { report_names(); });
  return true;
}

// What has gone since the start ends nothing: a rule for a tool that is not there forbids what
// nobody can call.
void Core::report_names() {
  if (std::exchange(names_changed_, true)) return;
  boost::asio::post(io_, [this] {  // once all that changes together has changed
    names_changed_ = false;
    if (!stopping_) name_reports_.report(with_refused_presets(*this, check_names(*this)));
  });
}

std::shared_ptr<skill::Catalog> Core::skills_of(const tool::Peer& who) {
  const auto session = who.session.empty() ? nullptr : sessions_->find(who.session, who.principal);
  return agent_skills_.of(who.agent, session.get());
}

// A signature is of a library alone: it says nothing of the files next to it.
void Core::read_skills_of_plugins() {
  if (config_.plugins.require_signature.empty())
    repositories_->set_plugin_folders(skill_folders(plugins_.status()));
}

void Core::follow_plugins() {
  read_skills_of_plugins();
  catalog_.on_publish([this] {
    if (std::exchange(plugins_changed_, true)) return;
    boost::asio::post(io_, [this] {  // once all that changes together has changed
      plugins_changed_ = false;
      if (!stopping_) read_skills_of_plugins();
    });
  });
}

std::string Core::instructions(const tool::Peer& who) {
  const std::vector<std::string> active = router_.active_groups(who);
  std::string text = config_.server.instructions;
  const auto add = [&text](const std::string& part) {
    if (!text.empty() && !part.empty()) text += "\n\n";
    text += part;
  };
  for (const config::Group& group : config_.groups) {
    if (std::binary_search(active.begin(), active.end(), group.name)) add(group.instructions);
  }
  add(skills_of(who)->text());
  return text;
}

boost::asio::awaitable<void> Core::start(upstream::Connects upstreams, checkout::Pulls pulls) {
  publish_own_tools();  // first: no plugin can take their names
  report_skill_faults();
  repositories_->watch(io_.get_executor());
  co_await follow_rules();
  co_await plugins_.load_all();
  follow_plugins();
  co_await checkouts_.start(pulls);
  co_await upstreams_.start(upstreams);
}

// What people said "always" to. Where there is no database yet there are no rules, and it is not
// made for that; the first question makes it.
boost::asio::awaitable<void> Core::follow_rules() {
  if (!people_) co_return;
  std::error_code error;
  if (fs::exists(config_.store.file, error)) co_await take_rules();
  rules_follower_ = people_->follow([this] {
    spawn(io_.get_executor(), {"app", "takes stored rules"}, take_rules());
  });
}

boost::asio::awaitable<void> Core::take_rules() {
  const auto rules = co_await people_->rules();
  if (!rules) {
    log::error("app", "stored rules cannot be read: the rules that were read before still apply",
               {{"error", rules.error().message}});
    co_return;
  }
  if (*rules == stored_rules_) co_return;
  stored_rules_ = *rules;
  make_rules();
}

void Core::make_rules() {
  std::vector<permission::OwnedRule> added;
  for (const store::RuleRecord& stored : stored_rules_) {
    auto rule = permission::read_stored_rule(stored);
    if (!rule) {
      log::error("app", "stored rule is not valid",
                 {{"rule", stored.id}, {"error", rule.error().message}});
      continue;
    }
    added.push_back(*std::move(rule));
  }
  rules_ = std::make_shared<const permission::Rulebook>(
      permission::make_rulebook(*current_, place_of_host(), added));
  if (people_) people_->judge_again();
}

std::vector<permission::OwnedRule> Core::configured_rules() const {
  return permission::configured_rules(*current_);
}

// What a rule denies by its name is in no list, and neither is an upstream for other agents.
boost::asio::awaitable<upstream::Upstreams::Changed> Core::take(config::Config now) {
  const auto before = current_;
  const auto after = std::make_shared<const config::Config>(std::move(now));
  const bool has_other_rules = !have_same_rules(*before, *after);
  if (before->log.level != after->log.level) log::setup(after->log.level, after->log.format);
  current_ = std::make_shared<const config::Config>(with_rules_of_both(*before, *after));
  if (has_other_rules) make_rules();
  const bool hides_more = profiles_.take_upstreams_of_both(*before, *after);
  auto changed = co_await upstreams_.change(current_->upstream);
  current_ = after;
  const bool is_seen_by_others = profiles_.take_upstreams(*after) || hides_more;
  if (has_other_rules) make_rules();
  if (is_seen_by_others || differ_in_rules(*before, *after))
    catalog_.lists_changed({true, true, true});
  report_names();
  co_return changed;
}

// Two digests differ where the configurations do: `toolpost config show` prints what it is of.
void Core::serves_at(const std::string& address) {
  serves_ = true;
  audit_.note(store::AuditEvent::Start, {{"version", kVersion},
                                         {"config_sha256", to_hex(sha256(config::show(config_)))},
                                         {"config", config_.file.string()},
                                         {"listen", address}});
  audit_.flush();
}

Result<void> Core::keep_tasks_of(const std::string& address, const task::Detached::Who& lost) {
  if (!desk_) return {};
  HOST_TRY(records_.keep_in(desk_, address));
  history_.take_over(records_);
  tasks_.take_over();
  handovers_.take_over();
  detached_.take_over(lost);
  return {};
}

void Core::end_waits() {
  if (people_) people_->end_waits();
  handovers_.end_waits();
  detached_.end_waits();
  tasks_.end_waits();
}

// Each notes its end itself, as soon as it is told.
boost::asio::awaitable<void> Core::end_calls() {
  live_calls_.close();
  live_calls_.end_all(Cancel::By::Stop);
  if (live_calls_.size() > 0) {
    boost::asio::steady_timer ended(io_, kCallsToEnd);
    live_calls_.when_none([&ended] { ended.cancel(); });
    co_await ended.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    live_calls_.when_none(nullptr);
  }
  audit_.flush();
}

boost::asio::awaitable<bool> Core::stop() {
  stopping_ = true;
  end_waits();
  co_await end_calls();
  detached_.stop();
  tasks_.stop();
  if (files_) files_->stop();
  if (webhooks_) webhooks_->stop();
  sessions_->stop();
  repositories_->stop_watching();
  co_await checkouts_.stop();
  co_await upstreams_.stop();
  const bool all_ended = co_await plugins_.stop(config_.call.grace);
  for (const std::string_view name :
       {router::kBuiltin, router::kSessionTools, router::kHostTools, router::kSearchTools})
    catalog_.set(std::string(name), nullptr);
  if (desk_) desk_->stop();
  if (serves_) audit_.note(store::AuditEvent::Stop, {{"version", kVersion}});
  audit_watch_.stop();
  audit_.close();
  co_return all_ended;
}

}  // namespace host::app
