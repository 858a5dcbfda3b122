// How many requests each client may send: of a principal with a key, token or login, of an address
// without one, and of all clients of an agent together. The limits are those of [limits] and
// [agent.NAME]; without one, nothing is counted. The answers say how much is left
// (draft-ietf-httpapi-ratelimit-headers-10). I/O thread only.
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
  // Hears the key of a limit that refuses a request: "limits.requests_per_principal".
  using OnRefusal = std::function<void(std::string_view limit)>;

  // References outlive it.
  RequestRates(const config::Config& config, const Clock& clock, OnRefusal on_refusal);

  // `principal` empty: the client has shown no valid credential, and `address` counts. `agent` may
  // be empty.
  struct Client {
    std::string_view principal;
    std::string_view address;
    std::string_view agent;
  };
  // Counts a request. `headers` are for its answer, also if it is refused.
  struct Counted {
    std::optional<transport::HttpRefusal> refusal;
    transport::Headers headers;
  };
  Counted count(const Client& client);

 private:
  const config::Config& config_;
  const OnRefusal on_refusal_;
  bool limits_ = false;  // any client
  RateTable principals_;
  RateTable addresses_;
  RateTable agents_;
};

}  // namespace host::app
