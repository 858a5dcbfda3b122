#include "app/orders/upstream_orders.h"

#include <algorithm>
#include <string_view>

#include "tool/definition/declared_text.h"
#include "upstream/pins/definition.h"
#include "upstream/pins/pins.h"

namespace host::app {
namespace {

boost::asio::awaitable<std::string> report(upstream::Upstreams& upstreams) {
  const std::vector<upstream::Status> all = co_await upstreams.full_status();
  std::string out = "[";
  for (const upstream::Status& status : all) {
    if (out.size() > 1) out += ',';
    out += upstream::as_json(status);
  }
  co_return out + "]";
}

boost::asio::awaitable<Result<std::string>> status_json(upstream::Upstreams& upstreams,
                                                        std::string name) {
  HOST_CO_TRY_ASSIGN(const upstream::Status status, co_await upstreams.full_status_of(name));
  co_return upstream::as_json(status);
}

std::string upstream_in(const std::string& about) {
  return about.substr(0, about.find_first_of("/ "));
}

struct Acceptance {
  std::string tool;
  std::string digest;
};

// A digest has no space, and a tool's name may have some.
Acceptance acceptance_in(const std::string& about) {
  const std::size_t space = about.rfind(' ');
  if (space == std::string::npos) return {};
  Acceptance out{{}, about.substr(space + 1)};
  const std::size_t slash = about.find('/');
  if (slash < space) out.tool = about.substr(slash + 1, space - slash - 1);
  return out;
}

boost::asio::awaitable<Result<void>> accept_by(upstream::Upstreams& upstreams, std::string name,
                                               store::PluginOrder order) {
  HOST_CO_TRY_ASSIGN(const std::vector<store::PinRecord> here, upstreams.pins_of(name));
  const Acceptance wanted = acceptance_in(order.plugin);
  const std::string by = order.given_by;
  upstream::Upstreams::Check check = [here, order = std::move(order)](store::PinStore& stored) {
    return check_later_decisions(stored, here, order);
  };
  co_return co_await upstreams.accept(name, wanted.tool, wanted.digest, by, std::move(check));
}

boost::asio::awaitable<Result<std::string>> begin_login(upstream::Upstreams& upstreams,
                                                        std::string name) {
  HOST_CO_TRY_ASSIGN(const auto login, upstreams.login_at(name));
  HOST_CO_TRY_ASSIGN(const auto begun, co_await login->begin());
  co_return upstream::oauth::as_json(begun);
}

boost::asio::awaitable<Result<void>> end_login(upstream::Upstreams& upstreams, std::string name,
                                               store::PluginOrder order) {
  HOST_CO_TRY_ASSIGN(const auto login, upstreams.login_at(name));
  Result<void> done;
  if (order.action == kUpstreamLogout) {
    done = co_await login->log_out();
  } else {
    done = co_await login->wait(order.plugin.substr(order.plugin.rfind(' ') + 1));
  }
  co_return done;
}

// Returns true if the order accepts the definitions that wait at this host.
bool is_meant_here(const Acceptance& wanted, const std::vector<store::PinRecord>& here) {
  std::vector<store::PinRecord> held;
  for (const store::PinRecord& record : here) {
    if (record.offered && !record.held.empty()) held.push_back(record);
  }
  const bool is_the_only_one =
      held.size() == 1 && upstream::digest_of(held.front().held) == wanted.digest;
  return is_the_only_one || upstream::digest_of_all(held) == wanted.digest;
}

}  // namespace

bool is_upstream_order(const store::PluginOrder& order) {
  return order.action.starts_with("upstream-");
}

Result<WallTime> time_of_acceptance(store::PinStore& stored, const std::string& about,
                                    WallTime now) {
  const std::string name = upstream_in(about);
  const std::string tool = acceptance_in(about).tool;
  HOST_TRY_ASSIGN(const std::vector<store::PinRecord> all, stored.list());
  for (const store::PinRecord& one : all) {
    const bool is_meant = one.upstream == name && (tool.empty() || one.tool == tool);
    if (is_meant && upstream::is_accepted_by_person(one)) now = std::max(now, one.changed);
  }
  return now;
}

Result<void> check_later_decisions(store::PinStore& stored,
                                   const std::vector<store::PinRecord>& here,
                                   const store::PluginOrder& order) {
  const std::string name = upstream_in(order.plugin);
  const Acceptance wanted = acceptance_in(order.plugin);
  if (wanted.tool.empty() && !is_meant_here(wanted, here)) return {};
  HOST_TRY_ASSIGN(const std::vector<store::PinRecord> all, stored.list());
  for (const store::PinRecord& one : all) {
    if (one.upstream != name || one.changed <= order.created) continue;
    if (!upstream::is_accepted_by_person(one)) continue;
    std::string meant = one.tool == wanted.tool ? wanted.digest : std::string();
    if (wanted.tool.empty()) {
      const auto held = std::find_if(here.begin(), here.end(), [&one](const auto& record) {
        return record.tool == one.tool && !record.held.empty();
      });
      if (held != here.end()) meant = upstream::digest_of(held->held);
    }
    if (!meant.empty() && upstream::digest_of(one.accepted) != meant) {
      return Error{ErrorKind::InvalidArgument,
                   "another definition of the tool " + tool::quoted_name(one.tool) +
                       " was accepted later, so this order was not carried out"};
    }
  }
  return {};
}

boost::asio::awaitable<Result<std::string>> answer_upstream_order(upstream::Upstreams& upstreams,
                                                                  store::PluginOrder order,
                                                                  OnOutcome on_outcome) {
  if (order.action == kUpstreamReport) co_return co_await report(upstreams);
  const std::string name = upstream_in(order.plugin);
  if (order.action == kUpstreamLogin) {
    auto begun = co_await begin_login(upstreams, name);
    on_outcome(begun ? Result<void>() : begun.error());
    co_return begun;
  }
  Result<void> done = Error{ErrorKind::InvalidArgument, "this host knows no such order"};
  if (order.action == kUpstreamLoginWait || order.action == kUpstreamLogout)
    done = co_await end_login(upstreams, name, order);
  if (order.action == kUpstreamRestart) done = co_await upstreams.restart(name);
  if (order.action == kUpstreamRefresh) done = co_await upstreams.refresh(name);
  if (order.action == kUpstreamAccept) done = co_await accept_by(upstreams, name, order);
  on_outcome(done);
  if (!done) co_return done.error();
  auto status = co_await status_json(upstreams, name);
  if (status) co_return status;
  co_return Error{ErrorKind::Unavailable,
                  "the order is carried out, but the state of the upstream cannot be shown: " +
                      status.error().message};
}

}  // namespace host::app
