#include "cli/operate/upstream_test.h"

#include <boost/asio/io_context.hpp>

#include <utility>

#include "app/version.h"
#include "base/process/spawn.h"
#include "metrics/registry.h"
#include "protocol/mcp.h"
#include "tool/provider/catalog.h"
#include "upstream/manager/upstreams.h"

namespace host::cli {

Result<std::string> test_upstream(const config::Config& config, const config::Upstream& upstream,
                                  std::vector<std::string>& last_lines) {
  config::Config alone = config;
  alone.upstream = {upstream};
  alone.upstream.front().pin = config::Pin::Off;  // show all that it has
  boost::asio::io_context io;
  tool::Catalog catalog;
  metrics::Registry metrics;
  const std::string info = protocol::server_info(
      {config.server.name, config.server.title, app::kVersion}, protocol::kLatestLegacy);
  upstream::Upstreams upstreams(io.get_executor(), alone, info, nullptr, catalog, metrics,
                                upstream::keeper_beside_host());
  Result<std::string> out = Error{ErrorKind::Internal, "it was not started"};
  const auto run = [&]() -> boost::asio::awaitable<void> {
    co_await upstreams.start();
    co_await upstreams.settle();
    const auto status = upstreams.status_of(upstream.name);
    if (!status) {
      out = status.error();
    } else if (status->state != upstream::State::Ready) {
      out = Error{ErrorKind::Unavailable, status->last_error};
      last_lines = status->last_lines;
    } else {
      upstream::Status shown = *status;
      shown.pin = upstream.pin.value_or(config.upstreams.pin);  // of a host
      out = upstream::as_json(shown);
    }
    co_await upstreams.stop();
  };
  spawn_main(io.get_executor(), run);
  io.run();
  return out;
}

}  // namespace host::cli
