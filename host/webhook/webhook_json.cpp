#include "webhook/webhook_json.h"

#include <array>

#include "json/object_text.h"
#include "outbound/origin.h"
#include "webhook/event.h"
#include "webhook/registration.h"
#include "webhook/webhooks.h"

namespace host::webhook {
namespace {

using store::WebhookCovers;

constexpr std::array<std::string_view, 3> kCovers = {"named", "principal", "all"};

void add_time(std::string& out, std::string_view key, WallTime time) {
  if (time != WallTime{}) json::add_text(out, key, to_rfc3339(time));
}

void add_number(std::string& out, std::string_view key, std::uint64_t number) {
  json::add_member(out, key, std::to_string(number));
}

void add_if(std::string& out, std::string_view key, std::string_view text) {
  if (!text.empty()) json::add_text(out, key, text);
}

}  // namespace

std::string_view to_string(WebhookCovers covers) {
  return kCovers[static_cast<std::size_t>(covers)];
}

std::optional<WebhookCovers> covers_from(std::string_view word) {
  for (std::size_t i = 0; i < kCovers.size(); ++i) {
    if (kCovers[i] == word) return static_cast<WebhookCovers>(i);
  }
  return std::nullopt;
}

std::string shown_url(const std::string& url) {
  const auto origin = outbound::origin_of(url);
  return origin ? origin->text() : std::string();
}

std::string as_json(const store::WebhookRecord& record) {
  std::string out = "{";
  json::add_text(out, "id", record.id);
  json::add_text(out, "principal", record.principal);
  if (!record.agent.empty()) json::add_text(out, "agent", record.agent);
  json::add_text(out, "url", record.url);
  json::add_text(out, "description", record.description);
  json::add_member(out, "events", json::list_of(names_of(record.events)));
  json::add_text(out, "covers", to_string(record.covers));
  json::add_bool(out, "enabled", record.enabled);
  add_if(out, "reason", record.reason);
  json::add_text(out, "made_by", shown_maker(record));
  json::add_text(out, "created", to_rfc3339(record.created));
  add_time(out, "old_secret_until", old_secrets_end(record));
  add_number(out, "waiting", record.waiting);
  add_number(out, "dead", record.dead);
  add_number(out, "delivered", record.delivered);
  add_number(out, "dropped", record.dropped);
  add_time(out, "last_success", record.last_success);
  add_time(out, "last_failure", record.last_failure);
  add_if(out, "failure", record.failure);
  return out + "}";
}

std::string as_json(const store::WebhookDelivery& delivery) {
  std::string out = "{";
  json::add_text(out, "event", delivery.event);
  json::add_text(out, "type", about(static_cast<Type>(delivery.type)).name);
  json::add_text(out, "state", delivery.dead ? "dead" : "waiting");
  add_number(out, "attempts", delivery.attempts);
  json::add_text(out, "created", to_rfc3339(delivery.at));
  json::add_text(out, delivery.dead ? "died" : "due", to_rfc3339(delivery.due));
  add_if(out, "failure", delivery.failure);
  json::add_member(out, "body", delivery.body);
  return out + "}";
}

}  // namespace host::webhook
