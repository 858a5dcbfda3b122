#include "upstream/oauth/callback.h"

#include <boost/asio/io_context.hpp>

#include <utility>

namespace host::upstream::oauth {
namespace {

constexpr std::string_view kPath = "/callback";
constexpr std::size_t kMostConnections = 32;
constexpr std::chrono::seconds kForTheLastAnswer{5};

transport::HttpOptions options_for(std::uint16_t port) {
  transport::HttpOptions options;
  options.listen = "127.0.0.1:" + std::to_string(port);
  options.body_bytes = 0;
  options.connections = kMostConnections;
  options.connections_per_address = kMostConnections;
  options.connections_kept_back = 0;
  return options;
}

void answer(transport::HttpExchange& exchange, Callback::Page page) {
  // The address of this page has a code.
  exchange.respond(page.status, page.text + "\n", "text/plain; charset=utf-8",
                   {{"Cache-Control", "no-store"},
                    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
                    {"Referrer-Policy", "no-referrer"},
                    {"X-Content-Type-Options", "nosniff"}});
}

}  // namespace

Result<std::unique_ptr<Callback>> Callback::listen(const boost::asio::any_io_executor& io,
                                                   std::uint16_t port, Take take) {
  std::unique_ptr<Callback> made(new Callback(std::move(take)));
  auto& context = static_cast<boost::asio::io_context&>(
      boost::asio::query(io, boost::asio::execution::context));
  auto server = transport::HttpServer::listen(context, *made, options_for(port));
  if (!server) {
    return Error{ErrorKind::Unavailable,
                 "the address for the browser after a login: " + server.error().message};
  }
  made->server_ = *std::move(server);
  return made;
}

std::string Callback::url() const {
  return "http://127.0.0.1:" + std::to_string(server_->port()) + std::string(kPath);
}

boost::asio::awaitable<void> Callback::handle(transport::HttpExchange& exchange) {
  const transport::HttpRequest& request = exchange.request();
  if (request.path() != kPath || request.method() != "GET")
    co_return answer(exchange, {404, "There is nothing here."});
  auto query = read_form(request.query());
  if (!query) co_return answer(exchange, {400, "This address is not valid."});
  const Take take = take_;
  Page page = co_await take(*std::move(query));
  answer(exchange, std::move(page));
}

void Callback::stop(std::function<void()> done) {
  server_->stop(kForTheLastAnswer, std::move(done));
}

}  // namespace host::upstream::oauth
