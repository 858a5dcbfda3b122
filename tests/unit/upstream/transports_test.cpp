// The transports that the configuration chooses.
#include "upstream/manager/transports.h"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include "support/http_server.h"

namespace host::upstream {
namespace {

class CountedFailures final : public TransportListener {
 public:
  void message(std::string_view, const protocol::Id&) override {}
  void failed(const protocol::Id&, Reached, const Error&) override { ++count; }
  void ended(const Error&) override { ++count; }
  int count = 0;
};

// A call that waits for its client does not count in max_inflight, and its request stays open.
TEST(Transports, CallsThatWaitForTheirClientsLeaveStreamsForOthers) {
  boost::asio::io_context io;
  test::HttpServer server(io);
  config::Config config;
  config::Upstream upstream;
  upstream.name = "u";
  upstream.url = server.origin() + "/mcp";
  upstream.transport = config::UpstreamTransport::Http;
  upstream.max_inflight = 1;
  const auto make =
      transport_of(io.get_executor(), std::make_shared<const config::Upstream>(upstream), config,
                   {}, std::make_shared<Budget>(0, std::size_t{1} << 20u),
                   std::make_shared<Secrets>(), nullptr, nullptr);
  const auto transport = make().value();
  CountedFailures seen;
  transport->open(seen);
  const std::size_t all = config.limits.upstream_parked_calls + upstream.max_inflight;
  for (std::size_t i = 0; i < all; ++i) {
    Outgoing message;
    message.text = "{}";
    message.method = "tools/call";
    message.id = std::to_string(i);
    message.version = protocol::Version::v2026_07_28;
    transport->send(std::move(message));
  }
  const auto most = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (server.peers.size() < all && seen.count == 0 && std::chrono::steady_clock::now() < most) {
    io.restart();
    io.run_one_for(std::chrono::seconds(1));
  }
  EXPECT_EQ(server.peers.size(), all);
  EXPECT_EQ(seen.count, 0);
}

}  // namespace
}  // namespace host::upstream
