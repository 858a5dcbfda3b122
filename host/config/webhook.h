// Defines the settings of the sections [[webhook]] and [webhooks].
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace host::config {

// A duration in milliseconds. In config.toml, the unit of a duration is seconds, and fractions are
// allowed.
using Seconds = std::chrono::milliseconds;

// Says about which calls a webhook gets events. The enum store::WebhookCovers has the same values
// in the same order.
enum class Covers { Named, Principal, All };

struct Webhook {
  std::string id;
  std::string principal = "local";  // the webhook's owner
  std::string url;
  std::vector<std::string> events;  // types of events; empty: all types
  Covers covers = Covers::Principal;
  std::string secret;      // JSON: {"env": "NAME"} or {"file": "/path"}
  std::string old_secret;  // the previous secret, which also signs events; empty: none
  std::string description;

  bool operator==(const Webhook&) const = default;
};

struct Webhooks {
  Seconds timeout{std::chrono::seconds(10)};  // time limit of one attempt
  Seconds retry_first{std::chrono::seconds(5)};
  Seconds retry_most{std::chrono::hours(12)};
  Seconds retry_for{std::chrono::hours(72)};  // after this time, a delivery becomes a dead letter
  Seconds keep{std::chrono::hours(24 * 30)};  // how long dead letters are stored
  std::uint32_t per_receiver = 8;             // attempts for one receiver at the same time
  std::vector<std::string> loopback;          // origins on this machine that may get events
  std::vector<std::string> internal;          // https origins on private networks for events

  bool operator==(const Webhooks&) const = default;
};

// Returns the value of a secret. `secret` is {"env": "NAME"} or {"file": "/path"} as JSON. The
// Error NotFound means that the variable or file does not exist. Error messages never contain a
// value.
Result<std::string> secret_value(const std::string& secret);

}  // namespace host::config
