#include "app/core/plugin_services.h"

#include <utility>

#include "app/core/session_history.h"
#include "base/process/spawn.h"
#include "router/dispatch/dispatcher.h"

namespace host::app {
namespace asio = boost::asio;
namespace {

plugin::KvService::Settings kv_settings(const config::Store& store) {
  return {{store.kv_bytes, store.kv_keys}, store.kv_session_ttl};
}

asio::awaitable<void> run_call(router::Dispatcher& dispatcher, std::shared_ptr<tool::Call> call,
                               plugin::CallToolService::Done done) {
  auto result = co_await dispatcher.call(*call);
  done(std::move(result));
}

}  // namespace

outbound::Settings gate_settings(const config::Outbound& outbound) {
  outbound::Settings settings;
  settings.timeout = outbound.timeout;
  settings.response_bytes = outbound.response_bytes;
  settings.redirects = outbound.redirects;
  settings.concurrent = outbound.concurrent;
  settings.loopback = outbound.loopback;
  settings.ca_file = outbound.ca_file;
  return settings;
}

PluginServices::PluginServices(boost::asio::any_io_executor io, const config::Config& config,
                               const std::shared_ptr<store::Desk>& desk, SessionHistory& history)
    : io_(io),
      attachments_(io),
      kv_(kv_settings(config.store), desk),
      gate_(io, gate_settings(config.outbound)),
      http_(gate_, config.plugins, config.outbound.concurrent),
      metrics_(std::move(io)) {
  if (desk) kv_.offer_in(*table_);
  attachments_.offer_in(*table_);
  http_.offer_in(*table_);
  history.offer_in(*table_);
  if (config.metrics.enabled) metrics_.offer_in(*table_);
}

void PluginServices::call_tools_by(router::Dispatcher& dispatcher) {
  plugin::CallToolService::Run run = [io = io_, &dispatcher](std::shared_ptr<tool::Call> call,
                                                             plugin::CallToolService::Done done) {
    auto running = run_call(dispatcher, std::move(call), done);
    spawn(io, {"app", "makes a call for a plugin"}, std::move(running),
          [done](const Result<void>& ended) {
            if (!ended) done(ended.error());
          });
  };
  plugin::CallToolService(std::move(run)).offer_in(*table_);
}

}  // namespace host::app
