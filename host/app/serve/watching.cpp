#include "app/serve/watching.h"

#include <utility>
#include <vector>

#include "app/serve/readiness.h"
#include "app/version.h"
#include "metrics/process.h"

namespace host::app {
namespace {

using metrics::Kind;
using metrics::Page;
using plugin::PluginStatus;

std::string_view word_of(config::Isolation isolation) {
  return isolation == config::Isolation::Inline ? "inline" : "worker";
}

void add_plugins(Page& page, const plugin::PluginHost& plugins) {
  const std::vector<PluginStatus> all = plugins.status();
  page.family("toolpost_plugin_info", Kind::Gauge,
              "1 for each plugin that serves, and what it is.");
  for (const PluginStatus& one : all) {
    if (!one.answers()) continue;
    page.sample(
        {{"plugin", one.name}, {"version", one.version}, {"isolation", word_of(one.isolation)}}, 1);
  }
  page.family("toolpost_plugin_state", Kind::Gauge, "1 for the state that each plugin is in.");
  for (const PluginStatus& one : all) {
    page.sample({{"plugin", one.name}, {"state", to_string(one.state)}}, 1);
  }
  page.family("toolpost_plugin_serving", Kind::Gauge,
              "1 where some generation of the plugin answers calls.");
  for (const PluginStatus& one : all) page.sample({{"plugin", one.name}}, one.answers() ? 1 : 0);
  page.family("toolpost_plugin_generation", Kind::Gauge, "The generation that serves, 0 for none.");
  for (const PluginStatus& one : all) page.sample({{"plugin", one.name}}, one.generation);
  page.one("toolpost_plugin_generations_alive", Kind::Gauge,
           "Generations of all plugins that have not retired.", plugins.generations());
  page.one("toolpost_plugin_libraries_stuck", Kind::Gauge,
           "Libraries that should be gone from the host's memory and are not.", plugins.zombies());
}

void respond(transport::HttpExchange& exchange, int status, std::string text) {
  exchange.respond(status, std::move(text), "text/plain; charset=utf-8",
                   {{"Cache-Control", "no-store"}});
}

}  // namespace

Watching::Watching(Core& core, transport::HttpHandler& behind, Add of_transport)
    : core_(core), behind_(behind), of_transport_(std::move(of_transport)) {}

boost::asio::awaitable<void> Watching::handle(transport::HttpExchange& exchange) {
  const transport::HttpRequest& http = exchange.request();
  const std::string_view path = http.path();
  const bool shown = path == "/metrics" && core_.config().metrics.enabled;
  if (!shown && path != "/healthz" && path != "/readyz") {
    co_await behind_.handle(exchange);
  } else if (http.method() != "GET" && http.method() != "HEAD") {
    exchange.respond(405, "use GET\n", "text/plain; charset=utf-8", {{"Allow", "GET, HEAD"}});
  } else if (shown) {
    exchange.respond(200, metrics(), metrics::kPageType, {{"Cache-Control", "no-store"}});
  } else if (path == "/healthz") {
    respond(exchange, 200, "ok\n");
  } else {
    // It listens only when every plugin that was found has been loaded or refused.
    const Readiness found = readiness_of(core_, stopping_);
    respond(exchange, found.ready ? 200 : 503, found.text);
  }
}

std::string Watching::metrics() {
  Page page;
  page.family("toolpost_build_info", Kind::Gauge, "1, and which build this host is.");
  page.sample({{"version", kVersion}}, 1);
  page.add(*core_.metrics());
  page.one("toolpost_calls_in_flight", Kind::Gauge, "Calls that wait or run.",
           static_cast<double>(core_.live_calls().size()));
  page.one("toolpost_calls_waiting", Kind::Gauge, "Calls that wait for their turn.",
           static_cast<double>(core_.scheduler().waiting()));
  if (core_.desk()) {
    page.one("toolpost_store_failing", Kind::Gauge,
             "1 while the store cannot be written to, and what needs it is refused.",
             core_.desk()->fault().empty() ? 0 : 1);
    page.one("toolpost_store_lost", Kind::Gauge,
             "1 while the store's file is not the one that is open: what is stored is lost.",
             core_.desk()->loss().empty() ? 0 : 1);
  }
  if (core_.audit().is_kept()) {
    core_.audit().look();
    page.one("toolpost_audit_failing", Kind::Gauge, "1 while the audit file cannot be written.",
             core_.audit().fault().empty() ? 0 : 1);
    page.one("toolpost_audit_lines_lost_total", Kind::Counter,
             "Lines that the audit file never got.", static_cast<double>(core_.audit().lost()));
  }
  if (of_transport_) of_transport_(page);
  add_plugins(page, core_.plugins());
  core_.services().metrics().add_to(page);
  metrics::add_process(page);
  return page.take();
}

}  // namespace host::app
