// Defines the order of `toolpost webhooks` to a running host: read the list of webhooks again. An
// order is a request that a command stores for the host. One table of the store lists all orders.
#pragma once

namespace host::app {

// The answer is empty. When the host answers, its next events reach all webhooks in the store.
inline constexpr const char* kWebhooksRead = "webhooks-read";

}  // namespace host::app
