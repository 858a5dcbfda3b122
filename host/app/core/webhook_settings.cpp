#include "app/core/webhook_settings.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "app/version.h"
#include "base/text/nearest.h"
#include "outbound/origin.h"
#include "webhook/signature.h"

namespace host::app {
namespace {

using store::WebhookRecord;

constexpr std::chrono::hours kForGood{24 * 365 * 100};

Result<std::string> secret_of(const std::string& configured) {
  HOST_TRY_ASSIGN(const std::string text, config::secret_value(configured));
  return webhook::read_secret(text);
}

std::uint32_t events_of(const std::vector<std::string>& names) {
  std::uint32_t all = 0;
  for (const webhook::EventType& type : webhook::event_types()) all |= bit(type.type);
  return names.empty() ? all : webhook::bits_of(names);
}

void add_events(const std::vector<std::string>& names, std::vector<WebhookFault>& faults) {
  std::vector<std::string_view> known;
  for (const webhook::EventType& type : webhook::event_types()) known.push_back(type.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(known.begin(), known.end(), names[i]) != known.end()) continue;
    faults.push_back({{"events", std::to_string(i)},
                      "C013",
                      "unknown type \"" + names[i] + "\": the types are " + webhook::all_names(),
                      suggest(names[i], known)});
  }
}

// One that is empty is missing, or has another form than a secret: the file's reader says that.
void add_secret(const char* key, const std::string& configured, std::vector<WebhookFault>& faults) {
  if (configured.empty()) return;
  const auto secret = secret_of(configured);
  if (secret) return;
  const bool is_absent = secret.error().kind == ErrorKind::NotFound;
  faults.push_back(
      {{key},
       is_absent ? "C016" : "C017",
       secret.error().message,
       is_absent
           ? "set the variable for this command and for the host, or keep the secret in a "
             "file: { file = \"/path\" }"
           : "`toolpost webhooks add` makes a secret for a webhook that is not in this file"});
}

WebhookRecord record_of(const config::Webhook& webhook) {
  WebhookRecord record;
  record.id = webhook.id;
  record.principal = webhook.principal;
  record.url = webhook.url;
  record.description = webhook.description;
  record.covers = static_cast<store::WebhookCovers>(webhook.covers);
  record.made_by = webhook::kConfigured;
  record.created = record.changed = system_clock().wall();
  record.events = events_of(webhook.events);
  return record;
}

}  // namespace

webhook::Sender::Settings webhook_sender(const config::Config& config) {
  webhook::Sender::Settings sender;
  sender.timeout = config.webhooks.timeout;
  sender.concurrent = 3 * config.limits.webhooks;  // deliveries, and a test of each
  sender.loopback = config.webhooks.loopback;
  sender.internal = config.webhooks.internal;
  sender.ca_file = config.outbound.ca_file;
  sender.user_agent = std::string("Toolpost/") + kVersion;
  return sender;
}

store::WebhookBounds webhook_bounds(const config::Config& config) {
  store::WebhookBounds bounds;
  bounds.all = config.limits.webhooks;
  bounds.per_principal = config.limits.webhooks_per_principal;
  bounds.waiting = config.limits.webhook_waiting;
  bounds.dead = config.limits.webhook_dead;
  bounds.keep = config.webhooks.keep;
  bounds.rest = std::max(bounds.rest, 2 * config.webhooks.retry_most);  // longer than any pause
  return bounds;
}

std::vector<WebhookFault> faults_of(const config::Webhook& webhook, const config::Webhooks& all) {
  std::vector<WebhookFault> faults;
  const auto url = webhook::check_url(webhook.url, outbound::AllowList(all.loopback),
                                      outbound::AllowList(all.internal));
  if (!webhook.url.empty() && !url)
    faults.push_back({{"url"},
                      "C017",
                      url.error().message,
                      "write a URL like \"https://hooks.example/toolpost\""});
  add_events(webhook.events, faults);
  add_secret("secret", webhook.secret, faults);
  add_secret("old_secret", webhook.old_secret, faults);
  return faults;
}

Result<std::vector<WebhookRecord>> configured_webhooks(const config::Config& config) {
  std::vector<WebhookRecord> records;
  for (const config::Webhook& webhook : config.webhook) {
    const auto within = [&webhook](const Error& error, const char* key) {
      return error.within(std::string(key) + " in [[webhook]] \"" + webhook.id + "\"");
    };
    for (const WebhookFault& fault : faults_of(webhook, config.webhooks))
      return within({ErrorKind::InvalidArgument, fault.why}, fault.keys.front().c_str());
    WebhookRecord record = record_of(webhook);
    auto secret = secret_of(webhook.secret);
    if (!secret) return within(secret.error(), "secret");
    record.secret = *std::move(secret);
    if (!webhook.old_secret.empty()) {
      auto old = secret_of(webhook.old_secret);
      if (!old) return within(old.error(), "old_secret");
      const WallTime until = system_clock().wall() + kForGood;  // the file's owner removes it
      record.old_secrets.push_back({*std::move(old), until});
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::shared_ptr<webhook::Webhooks> webhooks_of(const config::Config& config,
                                               const boost::asio::any_io_executor& io,
                                               const std::shared_ptr<store::Desk>& desk,
                                               metrics::Refusals& refusals,
                                               std::vector<WebhookRecord> configured) {
  if (!desk) return nullptr;
  webhook::Webhooks::Settings settings;
  settings.deliveries.retries = {config.webhooks.retry_first, config.webhooks.retry_most,
                                 config.webhooks.retry_for};
  settings.deliveries.timeout = config.webhooks.timeout;
  settings.deliveries.per_receiver = config.webhooks.per_receiver;
  settings.deliveries.concurrent = 2 * config.limits.webhooks;
  settings.sender = webhook_sender(config);
  settings.per_principal = config.limits.webhooks_per_principal;
  settings.on_refusal = [&refusals](std::string_view limit) { refusals.count(limit); };
  settings.configured = std::move(configured);
  settings.file = std::filesystem::weakly_canonical(config.file).string();
  return std::make_shared<webhook::Webhooks>(io, desk, system_clock(), std::move(settings));
}

}  // namespace host::app
