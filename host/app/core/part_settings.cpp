#include "app/core/part_settings.h"

#include <boost/asio/post.hpp>

#include <cstdint>
#include <utility>

#include "app/core/webhook_settings.h"
#include "app/version.h"
#include "permission/shell/read_only.h"
#include "protocol/mcp.h"

namespace host::app {
namespace {

store::IdempotencyBounds idempotency_of(const config::Config& config) {
  store::IdempotencyBounds bounds;
  bounds.keep = config.idempotency.keep;
  bounds.keys = config.limits.idempotency_keys_per_principal;
  bounds.bytes = config.limits.idempotency_bytes_per_principal;
  return bounds;
}

}  // namespace

executor::Scheduler::Settings scheduler_settings(const config::Config& config,
                                                 metrics::Refusals& refusals) {
  executor::Scheduler::Settings settings{
      config.call.timeout,
      config.call.queue,
      config.limits.running_per_principal,
      config.limits.queued_per_principal,
      config.limits.kept_for_others,
      {},
      [&refusals](std::string_view limit) { refusals.count(limit); }};
  for (const auto& [name, agent] : config.agents) {
    if (agent.running > 0 || agent.queued > 0)
      settings.agents[name] = {agent.running, agent.queued};
  }
  return settings;
}

router::Idempotency::Settings idempotency_settings(const config::Config& config,
                                                   metrics::Refusals& refusals) {
  return {config.limits.queued_per_principal,
          [&refusals](std::string_view limit) { refusals.count(limit); }, config.call.timeout};
}

session::Sessions::Limits session_limits(const config::Limits& limits,
                                         metrics::Refusals& refusals) {
  return {limits.kept_sessions, limits.kept_sessions_per_principal, limits.kept_session_idle,
          [&refusals](std::string_view limit) { refusals.count(limit); }};
}

session::TodoLimits todo_limits(const config::Limits& limits, metrics::Refusals& refusals) {
  return {limits.todos, limits.todo_bytes,
          [&refusals](std::string_view limit) { refusals.count(limit); }};
}

task::Tasks::Limits task_limits(const config::Limits& limits) {
  task::Tasks::Limits tasks;
  tasks.all = limits.tasks;
  tasks.per_principal = limits.tasks_per_principal;
  tasks.ttl = limits.task_ttl;
  tasks.bytes_per_principal = limits.detached_bytes_per_principal;
  return tasks;
}

task::Room::Limits room_limits(const config::Limits& limits, metrics::Refusals& refusals) {
  return {limits.detached_calls, limits.detached_calls_per_principal,
          limits.detached_bytes_per_principal,
          [&refusals](std::string_view limit) { refusals.count(limit); }};
}

task::Detached::Settings detached_settings(const config::Limits& limits) {
  task::Detached::Settings settings;
  settings.running = limits.running_per_principal;
  return settings;
}

plugin::Options plugin_options(const config::Config& config, const PluginServices& services,
                               tool::CallerWork& callers,
                               std::shared_ptr<metrics::Registry> metrics) {
  plugin::Options options;
  options.plugins = config.plugins;
  options.call = config.call;
  options.result_bytes = config.limits.result_bytes;
  options.services = services.table();
  options.callers = &callers;
  options.metrics = std::move(metrics);
  options.sandbox = config.sandbox;
  options.read_only_programs = permission::shell::read_only_programs();
  return options;
}

std::string info_of(const config::Config& config) {
  return protocol::server_info({config.server.name, config.server.title, kVersion},
                               protocol::kLatestLegacy);
}

std::shared_ptr<store::Desk> desk_of(const config::Config& config,
                                     const boost::asio::any_io_executor& io,
                                     metrics::Refusals& refusals) {
  if (config.store.file.empty()) return nullptr;
  store::WebhookBounds of_webhooks = webhook_bounds(config);
  of_webhooks.on_loss = [io, &refusals](const char* limit, std::uint64_t events) {
    boost::asio::post(io, [&refusals, limit, events] { refusals.count(limit, events); });
  };
  const store::StoreOptions options{{config.approval.keep, config.limits.approvals_per_principal,
                                     config.limits.approvals_kept_per_principal},
                                    store::Check::Whole,
                                    idempotency_of(config),
                                    std::move(of_webhooks)};
  return std::make_shared<store::Desk>(io, [file = config.store.file, options] {
    return store::open_sqlite_store(file, system_clock(), options);
  });
}

std::shared_ptr<approval::Approvals> people_of(const config::Config& config,
                                               const boost::asio::any_io_executor& io,
                                               const std::shared_ptr<store::Desk>& desk,
                                               metrics::Refusals& refusals,
                                               WebhookEvents& webhooks) {
  if (!desk) return nullptr;
  const approval::Approvals::Settings settings{
      config.approval.wait,
      config.approval.expire,
      config.approval.reject_sticky,
      config.limits.approvals_per_principal,
      config.limits.approval_arguments_bytes,
      [&refusals](std::string_view limit) { refusals.count(limit); },
      [&webhooks](const store::ApprovalRecord& fresh) { return webhooks.of_approval(fresh); }};
  return std::make_shared<approval::Approvals>(io, settings, system_clock(), desk);
}

std::shared_ptr<file::Files> files_of(const config::Config& config,
                                      const boost::asio::any_io_executor& io,
                                      const std::shared_ptr<store::Desk>& desk,
                                      metrics::Refusals& refusals) {
  if (!desk) return nullptr;
  file::Files::Settings settings;
  settings.folder = config.store.file.string() + ".files";
  settings.keep = config.files.keep;
  settings.url = config.files.url;
  settings.upload_timeout = config.files.upload_timeout;
  settings.file_bytes = config.limits.file_bytes;
  settings.quota = {config.limits.files_per_principal, config.limits.file_bytes_per_principal,
                    config.limits.files_bytes};
  settings.uploads = config.limits.uploads_per_principal;
  settings.on_refusal = [&refusals](std::string_view limit) { refusals.count(limit); };
  return std::make_shared<file::Files>(io, desk, system_clock(), std::move(settings));
}

}  // namespace host::app
