// The pages for monitoring: /metrics for Prometheus, /healthz (the host answers) and /readyz
// (readiness.h). Passes requests of other paths to the next handler. Host and Origin were checked
// before, as for all paths. I/O thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "app/core/core.h"
#include "metrics/page.h"
#include "transport/http/http.h"

namespace host::app {

class Watching final : public transport::HttpHandler {
 public:
  // Adds the metrics of the transport: connections, sessions.
  using Add = std::function<void(metrics::Page&)>;

  Watching(Core& core, transport::HttpHandler& behind, Add of_transport);

  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange) override;

  // The host stops. From now on it is not ready.
  void stop() { stopping_ = true; }

 private:
  std::string metrics();

  Core& core_;
  transport::HttpHandler& behind_;
  const Add of_transport_;
  bool stopping_ = false;
};

}  // namespace host::app
