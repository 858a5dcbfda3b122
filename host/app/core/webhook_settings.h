// Makes the settings and records of webhooks from config.toml.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "metrics/refusals.h"
#include "store/desk.h"
#include "webhook/webhooks.h"

namespace host::app {

webhook::Sender::Settings webhook_sender(const config::Config& config);
store::WebhookBounds webhook_bounds(const config::Config& config);

// A setting of a [[webhook]] that the host refuses.
struct WebhookFault {
  std::vector<std::string> keys;  // the faulty key; for a list, also the number of the entry
  std::string code;               // the code of the config::Diagnostic
  std::string why;
  std::string help;  // may be empty
};

// Returns all faults of one [[webhook]], except the faults that the reader of the file reports. The
// function reads the secrets of the webhook.
std::vector<WebhookFault> faults_of(const config::Webhook& webhook, const config::Webhooks& all);

// Returns the webhooks of the [[webhook]] entries, with the values of their secrets. An Error names
// the faulty [[webhook]] entry.
Result<std::vector<store::WebhookRecord>> configured_webhooks(const config::Config& config);

// Returns null if there is no store. `refusals` must outlive the result.
std::shared_ptr<webhook::Webhooks> webhooks_of(const config::Config& config,
                                               const boost::asio::any_io_executor& io,
                                               const std::shared_ptr<store::Desk>& desk,
                                               metrics::Refusals& refusals,
                                               std::vector<store::WebhookRecord> configured);

}  // namespace host::app
