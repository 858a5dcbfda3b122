#include "app/core/webhook_settings.h"

#include <utility>

#include "app/version.h"
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

Result<std::uint32_t> events_of(const std::vector<std::string>& names) {
  std::uint32_t all = 0;
  for (const webhook::EventType& type : webhook::event_types()) all |= bit(type.type);
  for (const std::string& name : names) {
    const webhook::EventType* const type = webhook::find_type(name);
    if (type && type->type != webhook::Type::Test) continue;
    return Error{ErrorKind::InvalidArgument,
                 "unknown type \"" + name + "\": the types are " + webhook::all_names()};
  }
  return names.empty() ? all : webhook::bits_of(names);
}

Result<WebhookRecord> record_of(const config::Webhook& webhook, const config::Webhooks& all) {
  WebhookRecord record;
  record.id = webhook.id;
  record.principal = webhook.principal;
  record.url = webhook.url;
  record.description = webhook.description;
  record.covers = static_cast<store::WebhookCovers>(webhook.covers);
  record.made_by = webhook::kConfigured;
  record.created = record.changed = system_clock().wall();
  const auto url = webhook::check_url(webhook.url, outbound::AllowList(all.loopback),
                                      outbound::AllowList(all.internal));
  if (!url) return url.error().within("url");
  auto events = events_of(webhook.events);
  if (!events) return events.error().within("events");
  record.events = *events;
  auto secret = secret_of(webhook.secret);
  if (!secret) return secret.error().within("secret");
  record.secret = *std::move(secret);
  if (webhook.old_secret.empty()) return record;
  auto old = secret_of(webhook.old_secret);
  if (!old) return old.error().within("old_secret");
  record.old_secret = *std::move(old);
  record.old_until = system_clock().wall() + kForGood;  // until it is removed from the file
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
  return bounds;
}

Result<std::vector<WebhookRecord>> configured_webhooks(const config::Config& config) {
  std::vector<WebhookRecord> records;
  for (const config::Webhook& webhook : config.webhook) {
    auto record = record_of(webhook, config.webhooks);
    if (!record) return record.error().within("[[webhook]] \"" + webhook.id + "\"");
    records.push_back(*std::move(record));
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
  return std::make_shared<webhook::Webhooks>(io, desk, system_clock(), std::move(settings));
}

}  // namespace host::app
