// The HttpContext contains the state that all connections of one HTTP server share.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "transport/http/allowed_names.h"
#include "transport/http/answer_head.h"
#include "transport/http/connection_table.h"
#include "transport/http/cross_origin.h"
#include "transport/http/http_server.h"
#include "transport/http/pipeline_turns.h"

namespace host::transport {

struct HttpContext {
  HttpContext(boost::asio::io_context& io_context, HttpHandler& http_handler,
              HttpOptions http_options)
      : io(io_context),
        handler(http_handler),
        options(std::move(http_options)),
        names(options.allowed_hosts, options.allowed_origins),
        origins(options.allowed_origins),
        connections(options) {
    refresh_clock();
  }

  // Reads the clock that all timers of the server use. The server reads the clock once in each
  // sweep of the timers, not for each request.
  void refresh_clock() {
    now = std::chrono::steady_clock::now();
    date = date_text();
  }

  boost::asio::io_context& io;
  HttpHandler& handler;
  const HttpOptions options;
  const AllowedNames names;
  const CrossOrigin origins;
  ConnectionTable connections;
  const std::shared_ptr<PipelineTurns> turns = std::make_shared<PipelineTurns>(io);
  SteadyTime now;
  std::string date;
  bool stopping = false;
  // `awaited` is the number of connections that were handling a request when the server began to
  // stop.
  std::size_t awaited = 0;
  // `writers` contains the connections whose responses are written at the end of this iteration of
  // the event loop.
  std::vector<std::shared_ptr<HttpConnection>> writers;
  std::function<void(std::shared_ptr<HttpConnection>)>
      watch_later;                  // see HttpConnection::watch_if_waiting()
  std::function<void()> on_closed;  // called when a connection has left the table
};

}  // namespace host::transport
