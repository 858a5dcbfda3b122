#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "admin/page.h"
#include "app/door/credentials.h"
#include "app/door/front_door.h"
#include "app/door/oauth.h"
#include "app/door/page_link.h"
#include "app/orders/config_reload.h"
#include "app/orders/plugin_orders.h"
#include "app/serve/serve.h"
#include "app/serve/served_host.h"
#include "app/serve/stopping.h"
#include "app/serve/watching.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "config/listen_address.h"
#include "identity/authenticator.h"
#include "identity/enrolments.h"
#include "identity/identities.h"
#include "identity/secret.h"
#include "mcp/http/endpoint.h"
#include "rest/api/api.h"
#include "transport/http/http_server.h"

namespace host::app {
namespace {

namespace asio = boost::asio;

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
  options.connections_per_principal = config.limits.connections_per_principal;
  options.connections_kept_back = config.limits.connections_kept_back;
  options.bodies_bytes = config.limits.bodies_bytes;
  options.bodies_bytes_per_principal = config.limits.bodies_bytes_per_principal;
  options.header_timeout = config.limits.header_timeout;
  options.body_timeout = config.limits.body_timeout;
  options.request_timeout = config.limits.request_timeout;
  options.keep_alive = config.limits.keep_alive;
  options.write_timeout = config.limits.write_timeout;
  options.before_write = std::move(before_write);
  return options;
}
using IdentitiesPtr = std::shared_ptr<identity::Identities>;

// Null: nothing is stored, so there are no keys.
Result<IdentitiesPtr> identities_of(Core& core) {
  const config::Config& config = core.config();
  if (!core.desk()) return IdentitiesPtr();
  auto opened = identity::Identities::open(
      core.io().get_executor(), core.desk(), system_clock(),
      {config.auth.login, config.auth.logins_per_key, config.auth.logins_per_minute});
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
    log::warning("app",
                 "every client that can reach this host may call its tools (auth.anonymous = "
                 "\"everywhere\")",
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

// HTTP from the first request to the last.
class HttpService {
 public:
  HttpService(ServedHost& host, IdentitiesPtr identities, ReadAgain read, Listening listening)
      : host_(host),
        reload_(*host.core, std::move(read), [this] { return has_caller_key(); }),
        identities_(std::move(identities)),
        oauth_(OAuth::create(host.core->io().get_executor(), host.core->config())),
        authenticator_(identities_, strangers_of(host.core->config()), system_clock()),
        endpoint_(
            host.methods, [this](const auto& http) { return sender_of(http); },
            [this](const auto& http) { return count_more(http); }),
        watching_(*host.core, endpoint_, [this](metrics::Page& page) { add_counts(page); }),
        api_({host.core->io().get_executor(),
              system_clock(),
              host.core->people(),
              host.core->router(),
              host.core->plugins(),
              host.core->upstreams(),
              host.core->checkouts(),
              [&core = *host.core](const tool::Peer& who) { return core.skills_of(who); },
              host.core->audit(),
              host.core->config().audit,
              host.core->live_calls(),
              [&core = *host.core] { return core.configured_rules(); },
              codes_of(*host.core),
              host.core->desk(),
              authenticator_,
              std::make_shared<rest::Events>(host.core->io().get_executor()),
              host.core->config(),
              host.core->sessions(),
              host.core->session_bounds(),
              host.core->tool_sets(),
              host.core->records(),
              host.core->detached(),
              host.core->leases(),
              host.core->check_turns(),
              host.core->news(),
              [&core = *host.core](std::string_view limit) { core.refusals().count(limit); },
              host.core->files(),
              host.core->result_files(),
              host.core->webhooks(),
              reload_,
              [this](const std::string& action, const std::string& about, std::string by) {
                if (orders_) orders_->tell_others(action, about, std::move(by));
              }}),
        files_(host.core->files(), system_clock(),
               [this](const file::Grant& grant) { return still_admits(grant); }),
        page_(identities_, authenticator_, host.core->audit(), host.core->config().auth.login,
              host.core->config().server.page_dir),
        rates_(host.core->config(), system_clock(),
               [&core = *host.core](std::string_view limit) { core.refusals().count(limit); }),
        door_(host.core->config(), authenticator_, page_, api_, files_, watching_,
              oauth_ ? &oauth_->resource() : nullptr, *host.core->sessions(), rates_),
        credentials_(*host.core, identities_, endpoint_, api_.events()),
        listening_(std::move(listening)),
        orders_(host.core->desk() ? std::make_shared<PluginOrders>(*host.core, reload_) : nullptr),
        stopping_(*host.core,
                  {[this] { close(); }, [this](auto grace) { server_->limit_grace(grace); },
                   [this] { end(); }, [this] { reload_.hang_up(); }}) {
    if (oauth_) authenticator_.take_tokens(oauth_->check(), oauth_->resource());
    door_.on_sender([this](const tool::Peer& who, bool calls) { credentials_.note(who, calls); });
    api_.events().limit(
        host.core->config().limits.event_streams_per_principal,
        [&core = *host.core](std::string_view limit) { core.refusals().count(limit); });
    // A host without keys has one principal, to whom all of each limit belongs.
    host.core->scheduler().share_when(
        [this] { return oauth_ || (identities_ && identities_->keyring().has_keys()); });
    host.core->catalog().on_change([this](const tool::Changes& changes) {
      if (changes.tools) api_.events().changed("tools");
      api_.events().changed("plugins");
    });
    host.core->skills().on_change([this] { api_.events().changed("skills"); });
    host.core->sessions()->on_end([this](const session::SessionPtr& session) {
      api_.events().changed("sessions");
      endpoint_.end_session(session->id);
    });
    host.core->sessions()->on_use([this](std::string_view id) { endpoint_.session_used(id); });
    host.core->sessions()->on_change(
        [this](const session::SessionPtr& before, const session::SessionPtr& now) {
          api_.events().changed("sessions");
          if (!session::act_alike(before->settings, now->settings))
            endpoint_.session_changed(now->id);
        });
    if (host.core->desk()) host.core->desk()->on_fault([this] { api_.events().changed("store"); });
  }

  asio::awaitable<void> run() {
    if (oauth_) oauth_->start();
    if (const auto opened = host_.core->sessions()->open(); !opened) {
      exit_code_ = failed(opened.error());
      stopping_.finish(exit_code_);
      co_return;
    }
    if (const auto started = co_await start_webhooks(); !started) {
      exit_code_ = failed(started.error().within("webhooks cannot be read from the store"));
      stopping_.finish(exit_code_);
      co_return;
    }
    co_await host_.core->start();  // first, so that the first tools/list is whole
    if (!host_.fits_what_is_installed()) {
      exit_code_ = kUnfitConfiguration;
      stopping_.finish(exit_code_);
      co_return;
    }
    if (oauth_) co_await oauth_->wait_for_keys();
    co_await open_files();
    auto options = options_of(host_.core->config(), host_.flush_audit());
    options.on_refusal = [this](std::string_view limit) { host_.core->refusals().count(limit); };
    auto server = transport::HttpServer::listen(host_.core->io(), door_, std::move(options));
    if (!server) {
      exit_code_ = failed(server.error());
      stopping_.finish(exit_code_);
      co_return;
    }
    server_ = *std::move(server);
    host_.core->serves_at(server_->address());
    take_over();
    // Requests are accepted from here on. All that they need is in place before the next wait.
    host_.core->page_is_at(page_url(host_.core->config(), server_->address()));
    if (host_.core->files())
      host_.core->files()->is_at(page_url(host_.core->config(), server_->address()));
    if (identities_) {
      credentials_.follow();
      identities_->watch();
    }
    stopping_.listen();
    reload_.follow();
    if (orders_) co_await orders_->serve(server_->address());
    if (host_.core->webhooks()) host_.core->webhooks()->deliver(server_->address());
    log::info("app", "listening on " + (is_unix(server_->address())
                                            ? server_->address() + ", MCP at /mcp"
                                            : "http://" + server_->address() + "/mcp"));
    co_await tell_way_in();
    if (stopping_.has_begun()) co_return;
    if (listening_) before_stop_ = listening_(*host_.core, server_->address());
  }

  int exit_code() const { return exit_code_; }

 private:
  // Keys and tokens are followed on: what runs by them ends with them.
  void close() {
    if (before_stop_) before_stop_();
    if (orders_) orders_->stop();
    reload_.stop();
    watching_.stop();
    door_.stop();
    api_.events().close();
    endpoint_.stop();
    server_->stop(host_.core->config().server.stop_timeout,
                  [this] { stopping_.transport_is_done(); });
  }

  void end() {
    if (server_) server_->close();
    if (identities_) identities_->stop();
    if (oauth_) oauth_->stop();
    credentials_.stop();
    endpoint_.end_sessions();
    host_.end();
  }

  // What clients were promised by the host that was at this address before.
  void take_over() {
    if (!host_.core->desk()) return;
    const std::string address = server_->address();
    // First: calls of a session find their tools in it.
    auto taken = endpoint_.keep_sessions_in(host_.core->desk(), address);
    const auto has_lost = [this](const std::string& principal, const std::string& agent) {
      return identities_ && identities_->keyring().has_known(principal) &&
             !identities_->keyring().lets_call(principal, agent);
    };
    if (taken) taken = host_.core->keep_tasks_of(address, has_lost);
    if (!taken) {
      log::error("app", "sessions and tasks are not stored: they end with this host",
                 {{"error", taken.error().message}});
    }
  }

  asio::awaitable<void> open_files() {
    const std::shared_ptr<file::Files>& files = host_.core->files();
    if (!files) co_return;
    files->ask_for_keys([this](const std::string& principal) {
      return identities_ && identities_->keyring().has_known(principal);
    });
    const auto started = co_await files->start();
    if (started) co_return;
    log::error("app", "uploaded files cannot be served", {{"error", started.error().message}});
  }

  // Before the first call, so that no event is missed. Deliveries begin when the address is known.
  asio::awaitable<Result<void>> start_webhooks() {
    const std::shared_ptr<webhook::Webhooks>& webhooks = host_.core->webhooks();
    if (!webhooks) co_return Result<void>();
    webhooks->admit_by([this](const store::WebhookRecord& record) { return may_have(record); });
    webhooks->on_change([this] { api_.events().changed("webhooks", identity::Scope::Call); });
    auto started = co_await webhooks->start();
    co_return started;
  }

  bool has_caller_key() const {
    return identities_ && identities_->keyring().has_key_with(identity::Scope::Call);
  }

  // Events end with the last key of their owner that allows them. Those of config.toml are the
  // operator's.
  bool may_have(const store::WebhookRecord& record) const {
    if (webhook::is_of_config(record) || !identities_) return true;
    const identity::Keyring& keys = identities_->keyring();
    if (!keys.has_known(record.principal)) return true;
    const identity::Scopes needed = webhook::needed_for(record);
    for (const auto scope :
         {identity::Scope::Call, identity::Scope::Approve, identity::Scope::Admin}) {
      if (needed.has(scope) && !keys.gives(record.principal, scope)) return false;
    }
    return true;
  }

  // A signed URL ends with the credential of its caller. A later key does not make it valid again.
  bool still_admits(const file::Grant& grant) const {
    if (grant.until) return system_clock().wall() < *grant.until;
    if (!grant.login.empty()) return identities_ && identities_->keyring().has_login(grant.login);
    return !grant.keyed || (identities_ && identities_->keyring().let_call(
                                               grant.principal, grant.agent, grant.made));
  }

  // It was let in when its head was read; with a key that was revoked since, it is nobody's, whom
  // no name of a principal or an agent can name: it sees nothing.
  tool::Peer sender_of(const transport::HttpRequest& http) {
    return door_.sender_of(http).value_or(tool::Peer{"?", "?"});
  }

  mcp::RequestCount count_more(const transport::HttpRequest& http) {
    RequestRates::Counted counted = door_.count_more(http);
    return {std::move(counted.refusal), std::move(counted.headers)};
  }

  // As long as nobody has a key to this host's page, each start gives its operator a way to it. Not
  // through the log, which others may read.
  asio::awaitable<void> tell_way_in() {
    if (!identities_ || identities_->keyring().has_key_with(identity::Scope::Admin)) co_return;
    const auto place = link_place(host_.core->config(), server_->address());
    if (!place) {  // a Unix socket, without a name for what is in front of it
      std::cerr
          << "Browsers cannot open the page at a Unix socket. Answer approvals with `toolpost "
             "approvals`, or put a proxy in front and run `toolpost key link --listen "
             "ADDRESS:PORT` with the proxy's address."
          << std::endl;
      co_return;
    }
    const auto lasts = host_.core->config().auth.link;
    const auto link = co_await identities_->make_link(lasts);
    if (!link) {
      log::error("app", "no link to the page could be made", {{"error", link.error().message}});
      co_return;
    }
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(lasts).count();
    std::cerr << "Open the console with this link, which works once and for "
              << std::max<long>(minutes, 1) << " min: " << identity::link_text(place->page, *link)
              << std::endl;
    if (!place->note.empty()) std::cerr << place->note << std::endl;
  }

  void add_counts(metrics::Page& page) const {
    page.one("toolpost_sessions", metrics::Kind::Gauge, "Sessions of clients that initialised.",
             static_cast<double>(endpoint_.sessions()));
    page.one("toolpost_connections", metrics::Kind::Gauge, "Open HTTP connections.",
             static_cast<double>(server_ ? server_->connections() : 0));
    page.one("toolpost_request_body_bytes", metrics::Kind::Gauge,
             "Bytes of bodies of all HTTP requests in flight.",
             static_cast<double>(server_ ? server_->body_bytes() : 0));
    const auto behind = host_.filler ? host_.filler->behind() : std::nullopt;
    if (!behind) return;
    page.one("toolpost_audit_table_behind_bytes", metrics::Kind::Gauge,
             "What the audit file has and the audit's table has not.",
             static_cast<double>(*behind));
  }

  ServedHost& host_;
  ConfigReload reload_;
  const IdentitiesPtr identities_;
  const std::unique_ptr<OAuth> oauth_;  // null: no token counts
  identity::Authenticator authenticator_;
  mcp::HttpEndpoint endpoint_;
  Watching watching_;
  rest::Api api_;
  rest::FileContent files_;
  admin::Page page_;
  RequestRates rates_;
  FrontDoor door_;
  Credentials credentials_;
  Listening listening_;
  const std::shared_ptr<PluginOrders> orders_;  // null: nothing is stored
  std::function<void()> before_stop_;
  std::unique_ptr<transport::HttpServer> server_;
  Stopping stopping_;
  int exit_code_ = EXIT_SUCCESS;
};
}  // namespace

bool is_unix(const std::string& listen) {
  const auto address = config::listen_address(listen);
  return address && address->is_unix();
}

bool is_loopback(const std::string& listen) {
  const auto address = config::listen_address(listen);
  return address && address->is_loopback();
}

int serve_http(config::Config config, ReadAgain read, Listening listening) {
  if (!starts_with(config)) return kUnfitConfiguration;
  auto host = ServedHost::create(std::move(config));
  if (!host) return failed(host.error());
  auto identities = identities_of(*(*host)->core);
  if (!identities) return failed(identities.error());
  if (const auto reach = check_reach((*host)->core->config(), *identities); !reach) {
    return failed(reach.error());
  }
  HttpService service(**host, *std::move(identities), std::move(read), std::move(listening));
  spawn_main((*host)->core->io().get_executor(), [&service] { return service.run(); });
  (*host)->core->io().run();
  return service.exit_code();
}
}  // namespace host::app
