// Defines the stored settings of webhooks: the owner of a webhook, the settings that the owner can
// change, and the webhooks from config.toml.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "identity/scopes.h"
#include "store/part/webhook_store.h"
#include "store/store.h"

namespace host::webhook {

// The struct Wanted contains the settings of a webhook that its owner can change. If a member is
// nullopt, the setting stays unchanged.
struct Wanted {
  std::optional<std::string> url;
  std::optional<std::string> description;
  std::optional<std::uint32_t> events;  // one bit for each Type
  std::optional<store::WebhookCovers> covers;
  std::optional<bool> enabled;
  std::optional<std::string> secret;  // the bytes of the secret
  // `old_secret_lasts` is the time for which a replaced secret stays valid in addition to the new
  // one. With an old_secret_lasts of 0, all secrets that were replaced earlier become invalid too.
  std::chrono::milliseconds old_secret_lasts{0};
};

// Returns the scopes that a key needs to get the events of this webhook, and to change this
// webhook.
identity::Scopes needed_for(const store::WebhookRecord& record);

// An Owner selects webhooks: all webhooks, or those that a key of one principal may see and change.
struct Owner {
  std::string principal;
  std::string agent = {};  // the agent of the key; empty: the key belongs to no agent
  identity::Scopes scopes = identity::kEveryScope;
  bool all = false;

  bool owns(const store::WebhookRecord& record) const;
};

// Stores `records`, the webhooks of the configuration `file`. configure() disables webhooks that
// are in no configuration file any more. If configure() disables a webhook, its waiting deliveries
// become dead letters, which can be replayed. configure() keeps the webhooks of other configuration
// files, because hosts with different files can share a store.
Result<void> configure(store::Store& store, const std::vector<store::WebhookRecord>& records,
                       const std::string& file);

// Changes `record` as `wanted` requests. A replaced secret stays in the record until the secret
// expires. An Error means that the record already has kMostOldSecrets replaced secrets.
Result<void> apply(const Wanted& wanted, WallTime now, store::WebhookRecord& record);
inline constexpr std::size_t kMostOldSecrets = 8;

// Returns the secrets that sign an event at the time `now`: first the present secret, then the
// replaced secrets whose time is not over.
std::vector<std::string> secrets_at(WallTime now, const store::WebhookRecord& record);
// Returns the time until which the last replaced secret is still used to sign events; {}: there is
// no replaced secret.
WallTime old_secrets_end(const store::WebhookRecord& record);

// Returns a new record with an id and a secret.
store::WebhookRecord new_record(std::string principal, const Wanted& wanted, std::string made_by,
                                WallTime now);

// kConfigured is the first line of `made_by` of webhooks from config.toml. From the second line on,
// each line of `made_by` is the path of a configuration file that contains the webhook.
inline constexpr std::string_view kConfigured = "config";
// Returns true if the webhook came from config.toml, even if config.toml no longer contains it.
bool is_of_config(const store::WebhookRecord& record);
// Returns true if the webhook is in a configuration file, and can be changed only there.
bool is_configured(const store::WebhookRecord& record);
// Returns the maker of the webhook as clients see it: `made_by` without the paths of files.
std::string_view shown_maker(const store::WebhookRecord& record);

}  // namespace host::webhook
