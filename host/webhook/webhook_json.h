// Writes webhooks and deliveries as JSON, for REST and the command line. The JSON contains no
// secrets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/part/webhook_store.h"

namespace host::webhook {

std::string_view to_string(store::WebhookCovers covers);  // named, principal, all
std::optional<store::WebhookCovers> covers_from(std::string_view word);

// Returns only the origin of the URL, because the URL's path and query can contain secrets of the
// receiver.
std::string shown_url(const std::string& url);

std::string as_json(const store::WebhookRecord& record);
std::string as_json(const store::WebhookDelivery& delivery);

}  // namespace host::webhook
