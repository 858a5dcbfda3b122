// Webhooks as config.toml has them.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "metrics/refusals.h"
#include "store/desk.h"
#include "webhook/webhooks.h"

namespace host::app {

webhook::Sender::Settings webhook_sender(const config::Config& config);
store::WebhookBounds webhook_bounds(const config::Config& config);

// Those of [[webhook]], with the values of their secrets. The error names the entry.
Result<std::vector<store::WebhookRecord>> configured_webhooks(const config::Config& config);

// Null: nothing is stored. `refusals` outlives it.
std::shared_ptr<webhook::Webhooks> webhooks_of(const config::Config& config,
                                               const boost::asio::any_io_executor& io,
                                               const std::shared_ptr<store::Desk>& desk,
                                               metrics::Refusals& refusals,
                                               std::vector<store::WebhookRecord> configured);

}  // namespace host::app
