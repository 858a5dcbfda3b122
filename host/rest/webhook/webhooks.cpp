#include "rest/webhook/webhooks.h"

#include "json/object_text.h"
#include "rest/wire/body.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"
#include "webhook/signature.h"
#include "webhook/webhook_json.h"

namespace host::rest {
namespace {

using store::WebhookCovers;

constexpr std::size_t kMostDescriptionBytes = 1024;
constexpr std::size_t kMostReplayed = 1000;
constexpr std::uint32_t kMostDeliveriesListed = 100;
constexpr std::uint64_t kOldSecretLasts = 86'400;
constexpr std::uint64_t kOldSecretMost = 30 * 86'400;

Error no_webhooks() {
  return {ErrorKind::NotFound, "this host has no webhooks: store.file is empty"};
}

Error no_such_webhook(const std::string& id) {
  return {ErrorKind::NotFound, "you have no webhook \"" + id.substr(0, 80) + "\""};
}

webhook::Owner owner_of(const Asked& asked) {
  const identity::Principal& who = asked.visitor.principal;
  return {who.name, asked.visitor.agent, who.scopes, who.scopes.has(Scope::Admin)};
}

void read_url(Members& root, webhook::Wanted& wanted, bool needed) {
  const auto url = needed ? std::optional(root.text("url")) : root.text_if("url");
  if (url) wanted.url = std::string(*url);
}

// Which events a principal may have is decided by its scopes.
void read_events(Members& root, const identity::Scopes& scopes, webhook::Wanted& wanted) {
  const auto names = root.texts_if("events");
  if (!names) return;
  if (names->empty()) return root.fault("events", "must not be empty");
  for (const std::string& name : *names) {
    const webhook::EventType* const type = webhook::find_type(name);
    if (!type || type->type == webhook::Type::Test)
      return root.fault("events", "has an unknown type: the types are " + webhook::all_names());
    if (!scopes.has(type->needed)) {
      return root.fault(
          "events", name + " needs the scope " + std::string(identity::to_string(type->needed)));
    }
  }
  wanted.events = webhook::bits_of(*names);
}

void read_rest(Members& root, const identity::Scopes& scopes, webhook::Wanted& wanted) {
  read_events(root, scopes, wanted);
  if (root.text_if("covers")) {
    wanted.covers = webhook::covers_from(root.word("covers", {"named", "principal", "all"}));
    if (wanted.covers == WebhookCovers::All && !scopes.has(Scope::Approve))
      root.fault("covers", "all needs the scope approve");
  }
  if (const auto text = root.text_if("description")) {
    wanted.description = std::string(*text);
    if (text->size() > kMostDescriptionBytes)
      root.fault("description", "must have at most 1024 bytes");
  }
}

void read_secret(Members& root, webhook::Wanted& wanted) {
  const auto text = root.text_if("secret");
  if (!text) return;
  auto secret = webhook::read_secret(*text);
  if (!secret) return root.fault("secret", secret.error().message);
  wanted.secret = *std::move(secret);
}

Result<webhook::Wanted> read_new(const transport::HttpRequest& http,
                                 const identity::Scopes& scopes) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  webhook::Wanted wanted;
  read_url(root, wanted, true);
  read_rest(root, scopes, wanted);
  if (!wanted.events && !root.any_if("events"))
    root.fault("events", "is missing: the types are " + webhook::all_names());
  read_secret(root, wanted);
  HOST_TRY(body.end());
  return wanted;
}

Result<webhook::Wanted> read_change(const transport::HttpRequest& http,
                                    const identity::Scopes& scopes) {
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  webhook::Wanted wanted;
  read_url(root, wanted, false);
  read_rest(root, scopes, wanted);
  wanted.enabled = root.flag_if("enabled");
  HOST_TRY(body.end());
  return wanted;
}

// A request without a body asks for a secret of the host's.
Result<webhook::Wanted> read_new_secret(const transport::HttpRequest& http) {
  webhook::Wanted wanted;
  wanted.secret = webhook::make_secret();
  wanted.old_secret_lasts = std::chrono::seconds(kOldSecretLasts);
  if (http.body().empty()) return wanted;
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  Members& root = body.root();
  read_secret(root, wanted);
  if (const auto lasts = root.number_if("old_secret_lasts_s")) {
    wanted.old_secret_lasts = std::chrono::seconds(std::min(*lasts, kOldSecretMost));
    if (*lasts > kOldSecretMost) root.fault("old_secret_lasts_s", "must be at most 2592000");
  }
  HOST_TRY(body.end());
  return wanted;
}

Result<std::vector<std::string>> read_replayed(const transport::HttpRequest& http) {
  std::vector<std::string> events;
  if (http.body().empty()) return events;
  HOST_TRY_ASSIGN(const Body body, Body::read(http));
  if (auto given = body.root().texts_if("events")) {
    events = *std::move(given);
    if (events.empty() || events.size() > kMostReplayed)
      body.root().fault("events", "must have 1 to 1000 ids; without it all dead letters go");
  }
  HOST_TRY(body.end());
  return events;
}

std::string with_secret(const store::WebhookRecord& record) {
  std::string out = webhook::as_json(record);
  out.pop_back();
  json::add_text(out, "secret", webhook::secret_text(record.secret));
  return out + "}";
}

}  // namespace

void WebhookRoutes::note(const Asked& asked, const std::string& id, const std::string& url,
                         std::string_view outcome) {
  services_.audit.note(
      store::AuditEvent::Webhook,
      {{"id", id}, {"url", webhook::shown_url(url)}, {"by", way_of(asked)}, {"outcome", outcome}});
  services_.audit.flush();
}

awaitable<void> WebhookRoutes::list(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  const auto all = co_await services_.webhooks->list(owner_of(asked));
  if (!all) co_return transport::answer_error(asked.exchange, all.error());
  std::string out = "{\"webhooks\":[";
  for (const store::WebhookRecord& one : *all) {
    if (out.back() != '[') out += ',';
    out += webhook::as_json(one);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
}

// The answer is the only one that has the secret.
awaitable<void> WebhookRoutes::add(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  auto wanted = read_new(asked.http(), asked.visitor.principal.scopes);
  if (!wanted) co_return transport::answer_error(asked.exchange, wanted.error());
  const auto added =
      co_await services_.webhooks->add(owner_of(asked), *std::move(wanted), way_of(asked));
  if (!added && added.error().kind == ErrorKind::Unavailable) {
    co_return transport::answer_error(asked.exchange, transport::Problem::LimitReached,
                                      added.error().message, {{"Retry-After", "60"}});
  }
  if (!added) co_return transport::answer_error(asked.exchange, added.error());
  note(asked, added->id, added->url, "added");
  transport::answer_json(
      asked.exchange, 201, with_secret(*added),
      {{"Cache-Control", "no-store"}, {"Location", "/v1/webhooks/" + added->id}});
}

awaitable<void> WebhookRoutes::show(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  const auto found = co_await services_.webhooks->find(owner_of(asked), asked.id());
  if (!found) co_return transport::answer_error(asked.exchange, found.error());
  if (!*found) co_return transport::answer_error(asked.exchange, no_such_webhook(asked.id()));
  transport::answer_json(asked.exchange, 200, webhook::as_json(**found));
}

awaitable<void> WebhookRoutes::change(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  auto wanted = read_change(asked.http(), asked.visitor.principal.scopes);
  if (!wanted) co_return transport::answer_error(asked.exchange, wanted.error());
  const auto changed =
      co_await services_.webhooks->change(owner_of(asked), asked.id(), *std::move(wanted));
  if (!changed) co_return transport::answer_error(asked.exchange, changed.error());
  if (!*changed) co_return transport::answer_error(asked.exchange, no_such_webhook(asked.id()));
  note(asked, asked.id(), (*changed)->url, "changed");
  transport::answer_json(asked.exchange, 200, webhook::as_json(**changed));
}

awaitable<void> WebhookRoutes::remove(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  const auto removed = co_await services_.webhooks->remove(owner_of(asked), asked.id());
  if (!removed) co_return transport::answer_error(asked.exchange, removed.error());
  if (!*removed) co_return transport::answer_error(asked.exchange, no_such_webhook(asked.id()));
  note(asked, asked.id(), "", "removed");
  asked.exchange.respond(204, {}, {}, {});
}

awaitable<void> WebhookRoutes::renew_secret(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  auto wanted = read_new_secret(asked.http());
  if (!wanted) co_return transport::answer_error(asked.exchange, wanted.error());
  const auto changed =
      co_await services_.webhooks->change(owner_of(asked), asked.id(), *std::move(wanted));
  if (!changed) co_return transport::answer_error(asked.exchange, changed.error());
  if (!*changed) co_return transport::answer_error(asked.exchange, no_such_webhook(asked.id()));
  note(asked, asked.id(), (*changed)->url, "secret changed");
  transport::answer_json(asked.exchange, 200, with_secret(**changed),
                         {{"Cache-Control", "no-store"}});
}

awaitable<void> WebhookRoutes::test(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  const auto tested = co_await services_.webhooks->test(owner_of(asked), asked.id());
  if (!tested) co_return transport::answer_error(asked.exchange, tested.error());
  if (!*tested) co_return transport::answer_error(asked.exchange, no_such_webhook(asked.id()));
  const webhook::Answer& answer = **tested;
  std::string out = "{";
  json::add_bool(out, "accepted", answer.is_accepted());
  if (answer.status > 0) json::add_member(out, "status", std::to_string(answer.status));
  if (!answer.failure.empty()) json::add_text(out, "failure", answer.failure);
  transport::answer_json(asked.exchange, 200, out + "}");
}

awaitable<void> WebhookRoutes::deliveries(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  const auto parameters = read_parameters(asked.http().query(), {"state", "limit", "after"});
  if (!parameters) co_return transport::answer_error(asked.exchange, parameters.error());
  const auto limit = read_limit(*parameters, kMostDeliveriesListed, kMostDeliveriesListed);
  if (!limit) co_return transport::answer_error(asked.exchange, limit.error());
  const auto state = parameters->find("state");
  const bool dead = state == parameters->end() || state->second == "dead";
  if (!dead && state->second != "waiting") {
    co_return transport::answer_error(
        asked.exchange, Error{ErrorKind::InvalidArgument, "state: must be dead or waiting"});
  }
  const auto after = parameters->find("after");
  std::string before;
  if (after != parameters->end()) before = after->second;
  const auto found =
      co_await services_.webhooks->deliveries(owner_of(asked), asked.id(), dead, before, *limit);
  if (!found) co_return transport::answer_error(asked.exchange, found.error());
  if (!*found) co_return transport::answer_error(asked.exchange, no_such_webhook(asked.id()));
  std::string out = "{\"deliveries\":[";
  for (const store::WebhookDelivery& one : **found) {
    if (out.back() != '[') out += ',';
    out += webhook::as_json(one);
  }
  transport::answer_json(asked.exchange, 200, out + "]}");
}

awaitable<void> WebhookRoutes::replay(const Asked& asked) {
  if (!services_.webhooks) co_return transport::answer_error(asked.exchange, no_webhooks());
  auto events = read_replayed(asked.http());
  if (!events) co_return transport::answer_error(asked.exchange, events.error());
  const auto replayed =
      co_await services_.webhooks->replay(owner_of(asked), asked.id(), *std::move(events));
  if (!replayed) co_return transport::answer_error(asked.exchange, replayed.error());
  if (!*replayed) co_return transport::answer_error(asked.exchange, no_such_webhook(asked.id()));
  transport::answer_json(asked.exchange, 200, "{\"replayed\":" + std::to_string(**replayed) + "}");
}

}  // namespace host::rest
