#include "app/serve.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>
#include <variant>

#include "admin/page.h"
#include "app/core.h"
#include "app/front_door.h"
#include "app/oauth.h"
#include "app/offer_service.h"
#include "app/tool_service.h"
#include "app/version.h"
#include "app/watching.h"
#include "base/heap.h"
#include "base/log.h"
#include "identity/authenticator.h"
#include "identity/enrolments.h"
#include "identity/identities.h"
#include "identity/secret.h"
#include "outbound/origin.h"
#include "rest/api.h"
#include "session/http_endpoint.h"
#include "session/methods.h"
#include "session/stdio_session.h"
#include "store/audit_filler.h"
#include "transport/http_server.h"
#include "transport/stdio.h"

namespace host::app {
namespace {

namespace asio = boost::asio;

constexpr auto kStopGrace = std::chrono::seconds(5);
constexpr auto kGiveBackEvery = std::chrono::seconds(5);

void rethrow(std::exception_ptr fault) {
  if (fault) std::rethrow_exception(fault);
}

// A file that reached the limit of its size is an error of that write, not the end of the host.
void outlive_file_limits() {
  std::signal(SIGXFSZ, SIG_IGN);
}

// What both transports have in common: the core, the protocol above it, the signals that end it.
class Host {
 public:
  static Result<std::unique_ptr<Host>> create(config::Config config) {
    outlive_file_limits();
    keep_freed_memory();
    HOST_TRY_ASSIGN(std::unique_ptr<Core> core, Core::create(std::move(config)));
    return std::make_unique<Host>(std::move(core));
  }

  explicit Host(std::unique_ptr<Core> made)
      : filler(filler_of(made->config().audit)),
        core(std::move(made)),
        tools(*core),
        offers(*core),
        methods(
            {tools, offers,
             [this](const std::string& agent) -> skill::Catalog& { return core->skills_of(agent); },
             core->tasks(), core->config(), core->io().get_executor(), system_clock(),
             [this](const std::string& agent) { return core->instructions(agent); }, kVersion}),
        signals(core->io(), SIGTERM, SIGINT),
        rest(core->io()) {
    if (filler) core->audit().on_flush([this] { filler->wake(); });
    core->catalog().on_change(
        [this](const tool::Changes& changes) { methods.announcer().changed(changes); });
    core->catalog().on_resource_updated(
        [this](const std::string& uri) { methods.announcer().updated(uri); });
    give_back_from_time_to_time();
  }

  void give_back_from_time_to_time() {
    rest.expires_after(kGiveBackEvery);
    rest.async_wait([this](boost::system::error_code error) {
      if (error || finished) return;
      give_back_memory();
      give_back_from_time_to_time();
    });
  }

  void on_signal(std::function<void()> stop) {
    signals.async_wait([stop = std::move(stop)](boost::system::error_code error, int) {
      if (!error) stop();
    });
  }

  // The last thing: retires the plugins, after which nothing keeps the loop running.
  void finish() {
    signals.cancel();
    finished = true;  // the timer may be over in this very turn, when nothing can cancel it
    rest.cancel();
    asio::co_spawn(core->io(), core->stop(), rethrow);
  }

  // Runs before each write to a peer: a call's line has reached the kernel when its reply leaves.
  std::function<void()> flush_audit() {
    return [this] { core->audit().flush(); };
  }

  static std::unique_ptr<store::AuditFiller> filler_of(const config::Audit& kept) {
    if (kept.file.empty()) return nullptr;
    return std::make_unique<store::AuditFiller>(kept.file, kept.table_rows);
  }

  const std::unique_ptr<store::AuditFiller> filler;  // null: no audit is kept
  std::unique_ptr<Core> core;
  ToolService tools;
  OfferService offers;
  session::Methods methods;
  asio::signal_set signals;
  asio::steady_timer rest;  // until memory is given back
  bool finished = false;
};

transport::HttpOptions options_of(const config::Config& config,
                                  std::function<void()> before_write) {
  transport::HttpOptions options;
  options.listen = config.server.listen;
  options.allowed_hosts = config.server.allowed_hosts;
  options.allowed_origins = config.server.allowed_origins;
  options.body_bytes = config.limits.body_bytes;
  options.header_bytes = config.limits.header_bytes;
  options.connections = config.limits.connections;
  options.connections_per_address = config.limits.connections_per_address;
  options.header_timeout = config.limits.header_timeout;
  options.body_timeout = config.limits.body_timeout;
  options.keep_alive = config.limits.keep_alive;
  options.write_timeout = config.limits.write_timeout;
  options.before_write = std::move(before_write);
  return options;
}

int failed(const Error& error) {
  log::error("app", error.message);
  return EXIT_FAILURE;
}

using IdentitiesPtr = std::shared_ptr<identity::Identities>;

// Null: nothing is stored, so there are no keys.
Result<IdentitiesPtr> identities_of(Core& core) {
  const config::Config& config = core.config();
  if (!core.desk()) return IdentitiesPtr();
  auto opened = identity::Identities::open(core.io().get_executor(), core.desk(), system_clock(),
                                           config.auth.login);
  if (opened) return opened;
  return opened.error().within("keys and approvals are kept in store.file; \"\" goes without");
}

// Null: nothing is stored.
std::shared_ptr<identity::Enrolments> codes_of(const Core& core) {
  if (!core.desk()) return nullptr;
  return std::make_shared<identity::Enrolments>(core.desk(), system_clock());
}

identity::Authenticator::Strangers strangers_of(const config::Config& config) {
  using identity::Authenticator;
  const bool served =
      config.auth.anonymous == config::Anonymous::Everywhere ||
      (config.auth.anonymous == config::Anonymous::Loopback && is_loopback(config.server.listen));
  return served ? Authenticator::Strangers::Served : Authenticator::Strangers::Refused;
}

// Who reaches further than this machine shall know who calls.
Result<void> check_reach(const config::Config& config, const IdentitiesPtr& identities) {
  if (is_loopback(config.server.listen)) return {};
  if (config.auth.anonymous == config::Anonymous::Everywhere) {
    log::warning("app", "whoever reaches this host may call its tools: auth.anonymous = everywhere",
                 {{"listen", config.server.listen}});
    return {};
  }
  if (identities && identities->keyring().has_key_with(identity::Scope::Call)) return {};
  if (!config.oauth.issuer.empty()) return {};
  return Error{ErrorKind::InvalidArgument,
               "server.listen = \"" + config.server.listen +
                   "\" is not a loopback address, and this host has no key to tell who calls: make "
                   "one with `toolpost key new`, name an oauth.issuer, or listen on 127.0.0.1"};
}

// Where people open the page: by the name that clients have for this host, where it is configured.
// Empty: nothing is known that would lead there, for an address of all interfaces names no host.
std::string page_url(const config::Config& config, const std::string& address) {
  if (!config.oauth.resource.empty()) {
    const auto origin = outbound::origin_of(config.oauth.resource);
    return origin ? origin->text() : std::string();
  }
  if (address.starts_with("0.0.0.0:") || address.starts_with("[::]:")) return {};
  return "http://" + address;
}

// HTTP from the first request to the last.
class HttpService {
 public:
  HttpService(Host& host, IdentitiesPtr identities, Listening listening)
      : host_(host),
        identities_(std::move(identities)),
        oauth_(OAuth::create(host.core->io().get_executor(), host.core->config())),
        authenticator_(identities_, strangers_of(host.core->config()), system_clock()),
        endpoint_(host.methods, [this](const auto& http) { return sender_of(http); }),
        watching_(*host.core, endpoint_, [this](metrics::Page& page) { add_counts(page); }),
        api_({host.core->io().get_executor(), system_clock(), host.core->people(),
              host.core->router(), host.core->plugins(),
              [&core = *host.core](const std::string& agent) -> skill::Catalog& {
                return core.skills_of(agent);
              },
              host.core->audit(), host.core->config().audit, host.core->live_calls(),
              permission::configured_rules(host.core->config()), codes_of(*host.core),
              host.core->desk()}),
        page_(identities_, authenticator_, host.core->audit(), host.core->config().auth.login,
              host.core->config().server.page_dir),
        door_(host.core->config(), authenticator_, page_, api_, watching_,
              oauth_ ? &oauth_->resource() : nullptr),
        listening_(std::move(listening)) {
    if (oauth_) authenticator_.take_tokens(oauth_->check(), oauth_->resource());
    host.core->catalog().on_change([this](const tool::Changes& changes) {
      if (changes.tools) api_.events().changed("tools");
      api_.events().changed("plugins");
    });
    host.core->skills().on_change([this] { api_.events().changed("skills"); });
    if (host.core->desk()) host.core->desk()->on_fault([this] { api_.events().changed("store"); });
  }

  asio::awaitable<void> run() {
    if (oauth_) oauth_->start();
    co_await host_.core->start();  // first, so that the first tools/list is whole
    if (oauth_) co_await oauth_->wait_for_keys();
    auto server = transport::HttpServer::listen(
        host_.core->io(), door_, options_of(host_.core->config(), host_.flush_audit()));
    if (!server) {
      exit_code_ = failed(server.error());
      if (oauth_) oauth_->stop();
      host_.finish();
      co_return;
    }
    server_ = *std::move(server);
    take_over();
    log::info("app", "listening on http://" + server_->address() + "/mcp");
    host_.core->page_is_at(page_url(host_.core->config(), server_->address()));
    if (identities_) {
      identities_->on_loss([this](const std::string& principal) { end_what_lost(principal); });
      // Other windows of the same login follow no more; those of another login come again.
      identities_->on_logout(
          [this](const std::string& principal) { api_.events().close_of(principal); });
      identities_->watch();
    }
    co_await tell_way_in();
    if (listening_) before_stop_ = listening_(*host_.core, server_->address());
    host_.on_signal([this] { stop(); });
  }

  int exit_code() const { return exit_code_; }

 private:
  void stop() {
    log::info("app", "stopping");
    if (before_stop_) before_stop_();
    host_.core->end_waits();
    if (identities_) identities_->stop();
    if (oauth_) oauth_->stop();
    watching_.stop();
    api_.events().close();
    endpoint_.stop();
    server_->stop(kStopGrace, [this] { host_.finish(); });
  }

  // What clients were promised by the host that was at this address before.
  void take_over() {
    if (!host_.core->desk()) return;
    const std::string address = server_->address();
    auto taken = host_.core->keep_tasks_of(address);
    if (taken) taken = endpoint_.keep_sessions_in(host_.core->desk(), address);
    if (!taken) {
      log::error("app", "sessions and tasks are not stored: they end with this host",
                 {{"error", taken.error().message}});
    }
  }

  // It was let in when its head was read; with a key that was revoked since, it is nobody's, whom
  // no name of a principal or an agent can name: it sees nothing.
  tool::Peer sender_of(const transport::HttpRequest& http) {
    return door_.sender_of(http).value_or(tool::Peer{"?", "?"});
  }

  // A key was revoked: what runs by it ends, save where its principal has another that would do.
  void end_what_lost(const std::string& principal) {
    const auto has_lost = [&](const std::string& who, const std::string& agent) {
      return who == principal && !identities_->keyring().lets_call(who, agent);
    };
    host_.core->live_calls().end_of(
        [&](const tool::Call& call) { return has_lost(call.principal, tool::agent_of(call)); });
    endpoint_.end_of([&](const tool::Peer& who) { return has_lost(who.principal, who.agent); });
    api_.events().close_of(principal);
  }

  // As long as nobody has a key to this host's page, each start gives its operator a way to it. Not
  // through the log, which others may read.
  asio::awaitable<void> tell_way_in() {
    if (!identities_ || identities_->keyring().has_key_with(identity::Scope::Admin)) co_return;
    const auto lasts = host_.core->config().auth.link;
    const auto link = co_await identities_->make_link(lasts);
    if (!link) {
      log::error("app", "no link to the page could be made", {{"error", link.error().message}});
      co_return;
    }
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(lasts).count();
    std::cerr << "The page, for whoever opens this first, within " << std::max<long>(minutes, 1)
              << " min: " << identity::link_text(server_->address(), *link) << std::endl;
  }

  void add_counts(metrics::Page& page) const {
    page.one("toolpost_sessions", metrics::Kind::Gauge, "Sessions of clients that initialised.",
             static_cast<double>(endpoint_.sessions()));
    page.one("toolpost_connections", metrics::Kind::Gauge, "Open HTTP connections.",
             static_cast<double>(server_ ? server_->connections() : 0));
    const auto behind = host_.filler ? host_.filler->behind() : std::nullopt;
    if (!behind) return;
    page.one("toolpost_audit_table_behind_bytes", metrics::Kind::Gauge,
             "What the audit file has and the audit's table has not.",
             static_cast<double>(*behind));
  }

  Host& host_;
  const IdentitiesPtr identities_;
  const std::unique_ptr<OAuth> oauth_;  // null: no token counts
  identity::Authenticator authenticator_;
  session::HttpEndpoint endpoint_;
  Watching watching_;
  rest::Api api_;
  admin::Page page_;
  FrontDoor door_;
  Listening listening_;
  std::function<void()> before_stop_;
  std::unique_ptr<transport::HttpServer> server_;
  int exit_code_ = EXIT_SUCCESS;
};

}  // namespace

bool is_loopback(const std::string& listen) {
  return listen.starts_with("127.") || listen.starts_with("[::1]") ||
         listen.starts_with("localhost:");
}

int serve_http(config::Config config, Listening listening) {
  auto host = Host::create(std::move(config));
  if (!host) return failed(host.error());
  auto identities = identities_of(*(*host)->core);
  if (!identities) return failed(identities.error());
  if (const auto reach = check_reach((*host)->core->config(), *identities); !reach) {
    return failed(reach.error());
  }
  HttpService service(**host, *std::move(identities), std::move(listening));
  asio::co_spawn((*host)->core->io(), service.run(), rethrow);
  (*host)->core->io().run();
  return service.exit_code();
}

int serve_stdio(config::Config config, const std::string& agent) {
  config.metrics.enabled = false;  // there is no page to show them on
  auto made = Host::create(std::move(config));
  if (!made) return failed(made.error());
  Host& host = **made;
  transport::StdioOptions options;
  options.line_bytes = host.core->config().limits.line_bytes;
  options.before_write = host.flush_audit();
  transport::Stdio stdio(host.core->io(), STDIN_FILENO, STDOUT_FILENO, options);
  // The signals are heard until the client has its answers: one that does not read is left behind.
  const auto session = session::StdioSession::create(
      host.methods, stdio, [&host, &stdio] { stdio.when_written([&host] { host.finish(); }); },
      tool::Peer{std::string(identity::kLocal), agent});
  const auto stop = [&host, &session, &stdio] {
    log::info("app", "stopping");
    host.core->end_waits();
    session->stop();
    stdio.limit_patience(kStopGrace);
  };
  const auto serve = [&]() -> asio::awaitable<void> {
    co_await host.core->start();
    stdio.start(*session);
    host.on_signal(stop);
  };
  asio::co_spawn(host.core->io(), serve, rethrow);
  host.core->io().run();
  return EXIT_SUCCESS;
}

}  // namespace host::app
