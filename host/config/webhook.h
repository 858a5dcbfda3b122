// [[webhook]] and [webhooks]: receivers of events.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace host::config {

using Seconds = std::chrono::milliseconds;  // seconds in the file, fractions allowed

// Which calls a webhook tells of. In the order of store::WebhookCovers.
enum class Covers { Named, Principal, All };

struct Webhook {
  std::string id;
  std::string principal = "local";  // its owner
  std::string url;
  std::vector<std::string> events;  // empty: all types
  Covers covers = Covers::Principal;
  std::string secret;      // JSON: {"env": "NAME"} or {"file": "/path"}
  std::string old_secret;  // the same; signs too, while receivers change to the new one
  std::string description;

  bool operator==(const Webhook&) const = default;
};

struct Webhooks {
  Seconds timeout{std::chrono::seconds(10)};  // of one attempt
  Seconds retry_first{std::chrono::seconds(5)};
  Seconds retry_most{std::chrono::hours(12)};
  Seconds retry_for{std::chrono::hours(72)};  // then a delivery is a dead letter
  Seconds keep{std::chrono::hours(24 * 30)};  // dead letters
  std::uint32_t per_receiver = 8;             // attempts at once
  std::vector<std::string> loopback;          // origins of this machine that are allowed
  std::vector<std::string> internal;          // https origins on private networks that are allowed

  bool operator==(const Webhooks&) const = default;
};

// The value of a secret, {"env": "NAME"} or {"file": "/path"} as JSON. NotFound: there is no such
// variable or file. No message has a value.
Result<std::string> secret_value(const std::string& secret);

}  // namespace host::config
