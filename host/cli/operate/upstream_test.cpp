#include "cli/operate/upstream_test.h"

#include <boost/asio/io_context.hpp>

#include <utility>

#include "app/version.h"
#include "base/process/spawn.h"
#include "cli/access/open_store.h"
#include "metrics/registry.h"
#include "protocol/mcp.h"
#include "tool/provider/catalog.h"
#include "upstream/manager/upstreams.h"
#include "upstream/pins/pins.h"
#include "upstream/provider/tool_name.h"

namespace host::cli {

namespace {

// The tools whose definitions a host with this store would hold. Without a store, each connection
// is a first one.
std::vector<std::string> waiting_in_a_host(const config::Config& config,
                                           const config::Upstream& upstream,
                                           const std::vector<store::PinRecord>& now) {
  upstream::Pins pins(upstream.name, upstream.pin.value_or(config.upstreams.pin),
                      upstream::served_names(upstream.name));
  if (!config.store.file.empty()) {
    const auto store = look_into_store(config);
    const auto stored =
        store && *store ? (*store)->pins().list()
                        : Result<std::vector<store::PinRecord>>(std::vector<store::PinRecord>());
    if (!stored) return {};  // other commands say why
    pins.load(*stored);
  }
  std::vector<upstream::Definition> definitions;
  for (const store::PinRecord& one : now) {
    if (!one.tool.empty() && !one.accepted.empty()) definitions.push_back({one.tool, one.accepted});
  }
  pins.compare(definitions, system_clock().wall());
  std::vector<std::string> out;
  for (const store::PinRecord& one : pins.held()) out.push_back(one.tool);
  return out;
}

}  // namespace

Result<std::string> test_upstream(const config::Config& config, const config::Upstream& upstream,
                                  std::vector<std::string>& last_lines,
                                  std::vector<std::string>& waits) {
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
      if (const auto now = upstreams.pins_of(upstream.name))
        waits = waiting_in_a_host(config, upstream, *now);
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
