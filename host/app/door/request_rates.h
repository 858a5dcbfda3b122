// Limits the number of HTTP requests that clients send. Each principal with a key, token or login
// has a limit. Requests without a credential share one limit for each client address. All clients
// of an agent together also have a limit. The sections [limits] and [agent.NAME] of config.toml set
// the limits on HTTP requests. If there is no limit, the host does not count requests. The headers
// of HTTP responses give the number of requests that are left
// (draft-ietf-httpapi-ratelimit-headers-10). Call the functions of this header on the I/O thread.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/rate_table.h"
#include "config/config.h"
#include "transport/http/http.h"

namespace host::app {

class RequestRates {
 public:
  // The host calls this function for each request that a limit refuses. `limit` is the limit's key
  // in config.toml, such as "limits.requests_per_principal".
  using OnRefusal = std::function<void(std::string_view limit)>;

  // Objects that are passed by reference must outlive the RequestRates.
  RequestRates(const config::Config& config, const Clock& clock, OnRefusal on_refusal);

  // The client that sent an HTTP request. If `principal` is empty, the client has sent no valid
  // credential, and the limit of its `address` applies. `agent` can be empty.
  struct Client {
    std::string_view principal;
    std::string_view address;
    std::string_view agent;
  };
  // The result of the function count(), which counts a request. The host must add `headers` to the
  // HTTP response, also if the request is refused.
  struct Counted {
    std::optional<transport::HttpRefusal> refusal;
    transport::Headers headers;
  };
  Counted count(const Client& client);

 private:
  const config::Config& config_;
  const OnRefusal on_refusal_;
  bool limits_ = false;  // true: at least one limit is set
  RateTable principals_;
  RateTable addresses_;
  RateTable agents_;
};

}  // namespace host::app
