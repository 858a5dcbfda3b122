// Converts config.toml into the settings of the parts of the class Core, and makes the parts that
// need a store.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

#include "app/core/plugin_services.h"
#include "app/core/webhook_events.h"
#include "approval/approvals.h"
#include "config/config.h"
#include "executor/scheduler.h"
#include "file/files.h"
#include "metrics/refusals.h"
#include "plugin/lifecycle/plugin_host.h"
#include "router/step/idempotency.h"
#include "session/sessions.h"
#include "session/todos.h"
#include "store/desk.h"
#include "task/detached.h"
#include "task/room.h"
#include "task/tasks.h"

namespace host::app {

// In each of the following functions, `refusals`, `services`, `callers` and `webhooks` must outlive
// the result.

executor::Scheduler::Settings scheduler_settings(const config::Config& config,
                                                 metrics::Refusals& refusals);

router::Idempotency::Settings idempotency_settings(const config::Config& config,
                                                   metrics::Refusals& refusals);

session::Sessions::Limits session_limits(const config::Limits& limits, metrics::Refusals& refusals);

session::TodoLimits todo_limits(const config::Limits& limits, metrics::Refusals& refusals);

task::Tasks::Limits task_limits(const config::Limits& limits);

task::Room::Limits room_limits(const config::Limits& limits, metrics::Refusals& refusals);

task::Detached::Settings detached_settings(const config::Limits& limits);

plugin::Options plugin_options(const config::Config& config, const PluginServices& services,
                               tool::CallerWork& callers,
                               std::shared_ptr<metrics::Registry> metrics);

// Returns the host's serverInfo as JSON, as the host introduces itself to upstreams.
std::string info_of(const config::Config& config);

// desk_of(), people_of() and files_of() return null if there is no store.
std::shared_ptr<store::Desk> desk_of(const config::Config& config,
                                     const boost::asio::any_io_executor& io,
                                     metrics::Refusals& refusals);

std::shared_ptr<approval::Approvals> people_of(const config::Config& config,
                                               const boost::asio::any_io_executor& io,
                                               const std::shared_ptr<store::Desk>& desk,
                                               metrics::Refusals& refusals,
                                               WebhookEvents& webhooks);

std::shared_ptr<file::Files> files_of(const config::Config& config,
                                      const boost::asio::any_io_executor& io,
                                      const std::shared_ptr<store::Desk>& desk,
                                      metrics::Refusals& refusals);

}  // namespace host::app
