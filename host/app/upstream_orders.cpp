#include "app/upstream_orders.h"

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

}  // namespace

bool is_upstream_order(const store::PluginOrder& order) {
  return order.action.starts_with("upstream-");
}

boost::asio::awaitable<Result<std::string>> answer_upstream_order(upstream::Upstreams& upstreams,
                                                                  store::PluginOrder order) {
  if (order.action == kUpstreamReport) co_return report(upstreams);
  const std::size_t slash = order.plugin.find('/');
  const std::string name = order.plugin.substr(0, slash);
  Result<void> done = Error{ErrorKind::InvalidArgument, "this host knows no such order"};
  if (order.action == kUpstreamRestart) done = co_await upstreams.restart(name);
  if (order.action == kUpstreamRefresh) done = co_await upstreams.refresh(name);
  if (order.action == kUpstreamAccept) {
    const std::string tool = slash == std::string::npos ? "" : order.plugin.substr(slash + 1);
    done = upstreams.accept(name, tool, order.given_by);
  }
  if (!done) co_return done.error();
  co_return status_json(upstreams, name);
}

}  // namespace host::app
