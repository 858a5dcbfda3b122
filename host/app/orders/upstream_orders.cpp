#include "app/orders/upstream_orders.h"

#include <string_view>

namespace host::app {
namespace {

std::string report(const upstream::Upstreams& upstreams) {
  std::string out = "[";
  for (const upstream::Status& status : upstreams.status()) {
    if (out.size() > 1) out += ',';
    out += upstream::as_json(status);
  }
  return out + "]";
}

Result<std::string> status_json(const upstream::Upstreams& upstreams, const std::string& name) {
  HOST_TRY_ASSIGN(const upstream::Status status, upstreams.status_of(name));
  return upstream::as_json(status);
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

}  // namespace

bool is_upstream_order(const store::PluginOrder& order) {
  return order.action.starts_with("upstream-");
}

boost::asio::awaitable<Result<std::string>> answer_upstream_order(upstream::Upstreams& upstreams,
                                                                  store::PluginOrder order) {
  if (order.action == kUpstreamReport) co_return report(upstreams);
  const std::string name = order.plugin.substr(0, order.plugin.find_first_of("/ "));
  Result<void> done = Error{ErrorKind::InvalidArgument, "this host knows no such order"};
  if (order.action == kUpstreamRestart) done = co_await upstreams.restart(name);
  if (order.action == kUpstreamRefresh) done = co_await upstreams.refresh(name);
  if (order.action == kUpstreamAccept) {
    const Acceptance wanted = acceptance_in(order.plugin);
    done = co_await upstreams.accept(name, wanted.tool, wanted.digest, order.given_by);
  }
  if (!done) co_return done.error();
  co_return status_json(upstreams, name);
}

}  // namespace host::app
