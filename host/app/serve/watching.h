// The pages for monitoring are /metrics for Prometheus, /healthz (the host answers) and /readyz
// (readiness.h). HTTP requests for all other paths go to the next handler. The host has already
// checked the headers Host and Origin of the request, as for all paths. Call the functions of this
// header on the I/O thread.
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
  // Adds the metrics of the transport (connections and sessions) to the page /metrics.
  using Add = std::function<void(metrics::Page&)>;

  Watching(Core& core, transport::HttpHandler& behind, Add of_transport);

  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange) override;

  // Call stop() when the host stops. After stop(), /readyz reports that the host is not ready.
  void stop() { stopping_ = true; }

 private:
  std::string metrics();

  Core& core_;
  transport::HttpHandler& behind_;
  const Add of_transport_;
  bool stopping_ = false;
};

}  // namespace host::app
