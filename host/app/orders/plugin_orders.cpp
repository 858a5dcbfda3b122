#include "app/orders/plugin_orders.h"

#include <unistd.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "app/core/core.h"
#include "app/orders/call_orders.h"
#include "app/orders/config_orders.h"
#include "app/orders/config_reload.h"
#include "app/orders/skill_orders.h"
#include "app/orders/upstream_orders.h"
#include "app/orders/webhook_orders.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/process/process.h"
#include "base/process/spawn.h"
#include "json/object_text.h"
#include "plugin/lifecycle/status_json.h"

namespace host::app {
namespace {

namespace asio = boost::asio;
using store::HostRecord;
using store::OrderState;
using store::PluginOrder;

constexpr std::chrono::milliseconds kLookForOrders{300};

using Orders = std::vector<PluginOrder>;

// Killed hosts could not remove themselves.
Result<void> forget_dead_hosts(store::HostStore& hosts) {
  HOST_TRY_ASSIGN(const std::vector<HostRecord> known, hosts.list());
  for (const HostRecord& host : known) {
    if (has_ended(static_cast<pid_t>(host.pid), host.process)) HOST_TRY(hosts.remove(host.id));
  }
  return {};
}

// A host that could not be added at its start, or was removed as one that does not answer, is added
// again.
Result<void> ensure_known(store::HostStore& hosts, const HostRecord& host) {
  HOST_TRY_ASSIGN(const std::vector<HostRecord> known, hosts.list());
  const bool is_known = std::any_of(known.begin(), known.end(),
                                    [&](const HostRecord& one) { return one.id == host.id; });
  return is_known ? Result<void>() : hosts.add(host);
}

// The ids of orders of hosts begin with it. Hosts read no answers.
constexpr std::string_view kOfHost = "host_";

Result<void> give_to_others(store::Store& store, const std::string& self, PluginOrder order) {
  store::HostStore& hosts = store.hosts();
  HOST_TRY(forget_dead_hosts(hosts));
  if (order.action == kUpstreamAccept) {
    HOST_TRY_ASSIGN(order.created, time_of_acceptance(store.pins(), order.plugin, order.created));
  }
  HOST_TRY_ASSIGN(const std::vector<HostRecord> known, hosts.list());
  for (const HostRecord& host : known) {
    if (host.id == self) continue;
    order.id = std::string(kOfHost) + random_id();
    order.host = host.id;
    HOST_TRY(hosts.give(order));
  }
  return {};
}

std::string report_of(const std::vector<plugin::PluginStatus>& plugins) {
  std::string out = "[";
  for (const plugin::PluginStatus& status : plugins) {
    if (out.size() > 1) out += ',';
    out += plugin::as_json(status);
  }
  return out + "]";
}

// Reports change nothing. Others have a line of their own, or are noted before their answer.
bool is_noted_with_answer(const PluginOrder& order) {
  return order.action != "report" && !is_upstream_order(order) && !is_call_order(order) &&
         !is_config_order(order.action) && order.action != kWebhooksRead;
}

asio::awaitable<Result<std::string>> read_webhooks(Core& core) {
  if (core.webhooks()) {
    HOST_CO_TRY(co_await core.webhooks()->reload());
  }
  co_return std::string();
}

OrderState state_of(const PluginOrder& order, const Result<std::string>& answer) {
  if (answer) return OrderState::Done;
  const bool may_be_done = order.action == "release" || is_call_order(order);
  if (may_be_done && answer.error().kind == ErrorKind::InvalidArgument)
    return OrderState::NotNeeded;
  return answer.error().kind == ErrorKind::NotFound ? OrderState::NotFound : OrderState::Failed;
}

}  // namespace

PluginOrders::PluginOrders(Core& core, ConfigReload& configuration)
    : core_(core),
      configuration_(configuration),
      desk_(core.desk()),
      id_(random_id()),
      pause_(core.io()) {}

asio::awaitable<void> PluginOrders::serve(std::string address) {
  const auto kept = shared_from_this();
  self_.id = id_;
  self_.address = std::move(address);
  self_.pid = static_cast<std::uint64_t>(::getpid());
  self_.process = mark_of_process(::getpid());
  self_.started = system_clock().wall();
  store::Desk::Act<bool> add = [host = self_,
                                listed = is_listed_](store::Store& store) -> Result<bool> {
    HOST_TRY(forget_dead_hosts(store.hosts()));
    HOST_TRY(store.hosts().add(host));
    *listed = true;
    return true;
  };
  const auto added = co_await desk_->ask<bool>(std::move(add));
  if (!added) {
    log::warning("app", "`toolpost plugins` cannot ask this host yet: the store was not written",
                 {{"error", added.error().message}});
  }
  spawn(core_.io().get_executor(), {"app", "takes orders of the command line"}, take_orders());
}

void PluginOrders::tell_others(const std::string& action, const std::string& about,
                               std::string given_by) {
  PluginOrder order;
  order.action = action;
  order.plugin = about;
  order.given_by = std::move(given_by);
  order.created = system_clock().wall();
  desk_->tell([self = id_, order](store::Store& store) {
    if (const auto told = give_to_others(store, self, order); !told) {
      log::warning(
          "app", "other hosts of this store do not know what was accepted here",
          {{"action", order.action}, {"about", order.plugin}, {"error", told.error().message}});
    }
  });
}

void PluginOrders::stop() {
  if (std::exchange(stopped_, true) || self_.id.empty()) return;  // it was not added
  pause_.cancel();
  desk_->tell([id = id_, listed = is_listed_](store::Store& store) {
    if (!*listed) return;
    if (const auto removed = store.hosts().remove(id); !removed)
      log::warning("app", "this host is still listed", {{"error", removed.error().message}});
  });
}

asio::awaitable<void> PluginOrders::take_orders() {
  const auto self = shared_from_this();
  while (!stopped_) {
    store::Desk::Act<Orders> take = [host = self_, look = look_,
                                     listed = is_listed_](store::Store& store) -> Result<Orders> {
      HOST_TRY_ASSIGN(const bool changed, store.hosts().changed_by_others());
      *look = *look || changed;
      if (!*look) return Orders();
      HOST_TRY(ensure_known(store.hosts(), host));
      *listed = true;
      HOST_TRY_ASSIGN(Orders orders, store.hosts().take(host.id));
      *look = false;  // a store that fails is looked at again
      return orders;
    };
    const auto orders = co_await desk_->ask<Orders>(std::move(take));
    if (stopped_) break;
    if (orders) {
      for (const PluginOrder& order : *orders)
        spawn(core_.io().get_executor(), {"app", "carries out an order"}, carry_out(order));
    }
    pause_.expires_after(kLookForOrders);
    boost::system::error_code ignored;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

asio::awaitable<void> PluginOrders::carry_out(PluginOrder order) {
  const auto self = shared_from_this();
  Result<std::string> given = co_await answer_to(order);
  if (is_noted_with_answer(order)) note(order, given);  // also while the host stops
  if (stopped_) co_return;
  answer(order, given);
}

asio::awaitable<Result<std::string>> PluginOrders::answer_to(PluginOrder order) {
  if (is_call_order(order)) co_return cancel_by_order(core_, order);
  if (is_config_order(order.action)) co_return co_await answer_to_config_order(order);
  if (is_upstream_order(order)) {
    const OnOutcome on_outcome = [this, &order](const Result<void>& done) {
      note(order, done ? Result<std::string>(std::string()) : done.error());
    };
    co_return co_await answer_upstream_order(core_.upstreams(), order, on_outcome);
  }
  if (is_skill_order(order)) co_return co_await answer_skill_order(core_.checkouts(), order);
  if (order.action == kWebhooksRead) co_return co_await read_webhooks(core_);
  plugin::PluginHost& plugins = core_.plugins();
  if (order.action == "report") co_return report_of(plugins.status());
  Result<void> done = Error{ErrorKind::InvalidArgument, "this host knows no such order"};
  if (order.action == "reload") done = co_await plugins.reload(order.plugin);
  if (order.action == "release") done = co_await plugins.release(order.plugin);
  if (!done) co_return done.error();
  for (const plugin::PluginStatus& status : plugins.status()) {
    if (status.name == order.plugin) co_return plugin::as_json(status);
  }
  co_return std::string();
}

asio::awaitable<std::string> PluginOrders::answer_to_config_order(const PluginOrder& order) {
  if (order.action == kConfigReport) co_return config::as_json(configuration_.compare());
  const config::ReloadReport report = co_await configuration_.reload(order.given_by);
  co_return config::as_json(report);
}

void PluginOrders::answer(const PluginOrder& order, const Result<std::string>& answer) {
  desk_->tell([id = order.id, state = state_of(order, answer),
               text = answer ? *answer : answer.error().message](store::Store& store) {
    const auto kept =
        id.starts_with(kOfHost) ? store.hosts().forget(id) : store.hosts().answer(id, state, text);
    if (!kept)
      log::warning("app", "an order's answer was not stored", {{"error", kept.error().message}});
  });
}

namespace {

// What an order is about. `digest` is the digest of the definitions or skills that it accepts.
struct OrderObject {
  std::string name;
  std::string digest;
};

OrderObject order_object(const PluginOrder& order) {
  const bool accepts = order.action == kUpstreamAccept || order.action == kSkillAccept;
  const std::size_t space = accepts ? order.plugin.rfind(' ') : std::string::npos;
  if (space == std::string::npos) return {order.plugin, {}};
  return {order.plugin.substr(0, space), order.plugin.substr(space + 1)};
}

// The commit that the order pulled. Empty: it pulled nothing.
std::string pulled_commit(const PluginOrder& order, const Result<std::string>& answer) {
  if (order.action != kSkillPull || !answer) return {};
  const auto status = json::parse(*answer);
  return status ? std::string(json::find_text(status->root(), "commit")) : std::string();
}

}  // namespace

void PluginOrders::note(const PluginOrder& order, const Result<std::string>& answer) {
  const bool upstream = is_upstream_order(order);
  const bool skill = is_skill_order(order);
  const OrderObject object = order_object(order);
  core_.audit().note(upstream ? store::AuditEvent::Upstream
                     : skill  ? store::AuditEvent::Skill
                              : store::AuditEvent::Plugin,
                     {{upstream ? "upstream"
                       : skill  ? "repository"
                                : "plugin",
                       object.name},
                      {"digest", object.digest},
                      {"commit", pulled_commit(order, answer)},
                      {"action", order.action},
                      {"by", order.given_by},
                      {"outcome", answer ? "done" : "failed"},
                      {"reason", answer ? std::string() : answer.error().message}});
  core_.audit().flush();
}

}  // namespace host::app
