// Limits the number of requests of clients. There is a limit for each principal with a key, token
// or login, one for each address without a credential, and one for all clients of an agent
// together. [limits] and [agent.NAME] set them; without a limit, nothing is counted. Headers of the
// answers contain the number of requests that are left (draft-ietf-httpapi-ratelimit-headers-10).
// The functions are called on the I/O thread.
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
  // Called with the key of a limit that refuses a request, such as "limits.requests_per_principal".
  using OnRefusal = std::function<void(std::string_view limit)>;

  // The references must outlive the object.
  RequestRates(const config::Config& config, const Clock& clock, OnRefusal on_refusal);

  // The client of a request. If `principal` is empty, the client has sent no valid credential, and
  // the limit of its `address` applies. `agent` may be empty.
  struct Client {
    std::string_view principal;
    std::string_view address;
    std::string_view agent;
  };
  // The result of count(), which counts a request. `headers` must be added to the answer, also if
  // the request is refused.
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
