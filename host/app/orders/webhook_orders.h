// Defines the request of the command `toolpost webhooks` that a running host reads the list of
// webhooks again.
#pragma once

namespace host::app {

// The answer is empty. When the host answers, its next events reach all webhooks in the store.
inline constexpr const char* kWebhooksRead = "webhooks-read";

}  // namespace host::app
