#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "app/orders/config_reload.h"
#include "app/orders/plugin_orders.h"
#include "app/serve/serve.h"
#include "app/serve/served_host.h"
#include "app/serve/stopping.h"
#include "base/process/spawn.h"
#include "identity/identities.h"
#include "mcp/stdio/session.h"
#include "transport/stdio.h"

namespace host::app {

namespace asio = boost::asio;

namespace {

// The client has started this host and chooses its configuration, so it may also send a context.
tool::Peer client_over_stdio(const std::string& agent) {
  tool::Peer client{std::string(identity::kLocal), agent};
  client.may_send_context = true;
  return client;
}

// Names this host for commands. Several hosts on stdio can share a store.
std::string address_of_process() {
  return std::string(store::kOnStdio) + std::to_string(::getpid());
}

}  // namespace

int serve_stdio(config::Config config, const std::string& agent, ReadAgain read) {
  config.metrics.enabled = false;  // there is no page to show them on
  if (!starts_with(config)) return kUnfitConfiguration;
  auto made = ServedHost::create(std::move(config));
  if (!made) return failed(made.error());
  ServedHost& host = **made;
  transport::StdioOptions options;
  options.line_bytes = host.core->config().limits.line_bytes;
  options.before_write = host.flush_audit();
  transport::Stdio stdio(host.core->io(), STDIN_FILENO, STDOUT_FILENO, options);
  std::shared_ptr<mcp::StdioSession> session;
  ConfigReload::Read reread;
  if (read) {
    reread = [read = std::move(read)] {
      config::Loaded loaded = read();
      if (loaded.config) loaded.config->metrics.enabled = false;  // as above
      return loaded;
    };
  }
  ConfigReload reload(*host.core, std::move(reread));
  const std::shared_ptr<PluginOrders> orders =  // null: nothing is stored
      host.core->desk() ? std::make_shared<PluginOrders>(*host.core, reload) : nullptr;
  const auto take_no_orders = [&orders] {
    if (orders) orders->stop();
  };
  const auto close = [&session, take_no_orders] {
    take_no_orders();
    session->stop();
  };
  const auto over = [&host, &reload, take_no_orders] {
    take_no_orders();
    reload.stop();
    host.end();
  };
  Stopping stopping(*host.core, {close, [&stdio](auto patience) { stdio.limit_patience(patience); },
                                 over, [&reload] { reload.hang_up(); }});
  // Signals are heard until the client has its answers: one that does not read is left behind.
  session = mcp::StdioSession::create(
      host.methods, stdio,
      [&stopping, &stdio] { stdio.when_written([&stopping] { stopping.transport_is_done(); }); },
      client_over_stdio(agent));
  int exit_code = EXIT_SUCCESS;
  const auto serve = [&]() -> asio::awaitable<void> {
    co_await host.core->start();
    if (!host.fits_what_is_installed()) {
      exit_code = kUnfitConfiguration;
      stopping.finish(exit_code);
      co_return;
    }
    host.core->serves_at("stdio");
    stdio.start(*session);
    stopping.listen();
    // After what the client has sent already: a file that was just edited is read again.
    co_await asio::post(host.core->io(), asio::use_awaitable);
    reload.follow();
    if (orders && !stopping.has_begun()) co_await orders->serve(address_of_process());
  };
  spawn_main(host.core->io().get_executor(), serve);
  host.core->io().run();
  return exit_code;
}

}  // namespace host::app
