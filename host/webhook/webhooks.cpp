#include "webhook/webhooks.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "json/fault.h"
#include "json/object_text.h"
#include "webhook/signature.h"

namespace host::webhook {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using store::Desk;
using store::Store;
using store::WebhookCovers;
using store::WebhookEvent;
using store::WebhookRecord;

constexpr std::chrono::milliseconds kLookEvery{1000};  // for changes by other processes
constexpr std::size_t kMostEventsTogether = 1000;
// While several callers wait for their events at the same time, the next transaction waits for
// more events. A client that makes one call after the other never waits for this.
constexpr std::chrono::milliseconds kBetweenWrites{8};
constexpr std::chrono::milliseconds kCrowded{100};  // after the last time when several waited

bool covers(const WebhookRecord& record, std::uint32_t type, bool of_host,
            const std::string& principal, const std::string& agent,
            const std::vector<std::string>& webhooks) {
  if (!record.enabled || (record.events & type) == 0) return false;
  if (of_host) return true;
  if (!record.agent.empty() && record.agent != agent) return false;
  if (record.covers == WebhookCovers::All) return true;
  if (record.principal != principal) return false;
  return record.covers == WebhookCovers::Principal ||
         std::find(webhooks.begin(), webhooks.end(), record.id) != webhooks.end();
}

Result<void> store_and_count(Store& store, const std::vector<WebhookEvent>& events,
                             const std::map<std::string, std::uint64_t>& dropped) {
  HOST_TRY(store.webhooks().queue(events));
  for (const auto& [id, number] : dropped) {
    const auto counted = store.webhooks().change(id, [number = number](WebhookRecord& record) {
      record.dropped += number;
      return Result<void>();
    });
    // A webhook whose secret cannot be read keeps no event of others back.
    if (!counted && counted.error().kind != ErrorKind::Denied) return counted.error();
  }
  return {};
}

Error configured_only() {
  return {ErrorKind::Denied, "this webhook is from config.toml: change it there"};
}

}  // namespace

// An event that is about to be stored, and who waits for that.
struct Webhooks::Waiter {
  Waiter(const asio::any_io_executor& io, WebhookEvent what)
      : event(std::move(what)), stored(io, SteadyTime::max()) {}
  const WebhookEvent event;
  asio::steady_timer stored;  // canceled once the event is stored or held
};

Message test_message(const WebhookRecord& record, WallTime now) {
  std::string data = "{";
  json::add_text(data, "webhook", record.id);
  Message message;
  message.url = record.url;
  message.secrets = secrets_at(now, record);
  message.id = "evt_" + random_id();
  message.body = body_of(Type::Test, now, data + "}");
  message.principal = record.principal;
  return message;
}

Webhooks::Webhooks(asio::any_io_executor io, std::shared_ptr<Desk> desk, const Clock& clock,
                   Settings settings)
    : io_(std::move(io)),
      desk_(std::move(desk)),
      clock_(clock),
      settings_(std::move(settings)),
      sender_(io_, settings_.sender, clock_),
      deliveries_(std::make_shared<Deliveries>(
          io_, desk_, clock_, sender_, settings_.deliveries,
          [this](const std::string& id, const std::string& url, const std::string& reason) {
            spawn(io_, {"webhook", "disables a webhook"}, disable(id, url, reason));
          })),
      held_(settings_.most_held),
      write_pause_(io_),
      look_again_(io_) {}

awaitable<Result<void>> Webhooks::start() {
  const auto self = shared_from_this();
  Desk::Act<bool> act = [records = settings_.configured,
                         file = settings_.file](Store& store) -> Result<bool> {
    HOST_TRY(configure(store, records, file));
    return true;
  };
  HOST_CO_TRY(co_await desk_->ask<bool>(std::move(act)));
  HOST_CO_TRY(co_await reload());
  spawn(io_, {"webhook", "follows other processes"}, follow_others());
  co_return Result<void>();
}

void Webhooks::stop() {
  stopped_ = true;
  look_again_.cancel();
  store_held();
  deliveries_->stop();
  for (const auto& [principal, test] : testing_) {
    sender_.drop(test.sending);
    Answer none;
    none.was_not_made = true;
    asio::post(io_, [done = test.done, none] { done(none); });
  }
}

awaitable<Result<void>> Webhooks::reload() {
  const auto self = shared_from_this();
  using Records = std::vector<WebhookRecord>;
  Desk::Act<Records> act = [](Store& store) { return store.webhooks().list(); };
  HOST_CO_TRY_ASSIGN(Records now, co_await desk_->ask<Records>(std::move(act)));
  const bool is_new = now != records_;  // another program may have changed other tables alone
  records_ = std::move(now);
  wanted_ = 0;
  for (const WebhookRecord& record : records_) wanted_ |= record.enabled ? record.events : 0;
  deliveries_->set(records_);
  if (is_new && on_change_) on_change_();
  co_return Result<void>();
}

// The change is stored, so a list that cannot be read now fails nobody's request: a new webhook's
// secret is in this answer alone. The list is read again soon.
awaitable<void> Webhooks::reload_after_change() {
  const auto self = shared_from_this();
  const auto reloaded = co_await reload();
  if (reloaded) co_return;
  is_stale_ = true;
  log::warning("webhook", "a change is stored, and is followed as soon as the store can be read",
               {{"reason", reloaded.error().message}});
}

// What the command line registers, changes or replays.
awaitable<void> Webhooks::follow_others() {
  const auto self = shared_from_this();
  while (!stopped_) {
    look_again_.expires_after(kLookEvery);
    co_await look_again_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped_) co_return;
    store_held();
    Desk::Act<bool> act = [](Store& store) { return store.webhooks().changed_by_others(); };
    const auto changed = co_await desk_->ask<bool>(std::move(act));
    is_stale_ = is_stale_ || (changed && *changed);
    if (!is_stale_ || stopped_) continue;
    const auto reloaded = co_await reload();
    if (!reloaded) continue;
    is_stale_ = false;
    deliveries_->wake([](const WebhookRecord&) { return true; });
  }
}

// ---- events

bool Webhooks::wants(Type type, const About& about) const {
  if (!wants_any(type)) return false;
  const bool of_host = webhook::about(type).of_host;
  return std::any_of(records_.begin(), records_.end(), [&](const WebhookRecord& record) {
    return covers(record, bit(type), of_host, about.principal, about.agent, about.webhooks);
  });
}

std::optional<WebhookEvent> Webhooks::make(Type type, About about) {
  if (!wants(type, about)) return std::nullopt;
  WebhookEvent event = event_of(type, std::move(about));
  wake(event);
  return event;
}

WebhookEvent Webhooks::event_of(Type type, About about) const {
  WebhookEvent event;
  event.id = "evt_" + random_id();
  event.type = bit(type);
  event.of_host = webhook::about(type).of_host;
  event.at = clock_.wall();
  event.body = body_of(type, event.at, about.data);
  event.principal = std::move(about.principal);
  event.agent = std::move(about.agent);
  event.webhooks = std::move(about.webhooks);
  return event;
}

// The look for due deliveries is submitted to the store in a later turn, so behind the transaction.
void Webhooks::wake(const WebhookEvent& event) {
  deliveries_->wake([&event](const WebhookRecord& record) {
    return covers(record, event.type, event.of_host, event.principal, event.agent, event.webhooks);
  });
}

awaitable<void> Webhooks::queue(Type type, About about) {
  const auto self = shared_from_this();
  const auto waiter = std::make_shared<Waiter>(io_, event_of(type, std::move(about)));
  to_write_.push_back(waiter);
  if (writing_) crowded_until_ = steady_now() + kCrowded;
  if (!std::exchange(writing_, true)) write_soon();
  co_await waiter->stored.async_wait(asio::as_tuple(asio::use_awaitable));
}

void Webhooks::write_soon() {
  const SteadyTime now = steady_now();
  if (now >= next_write_ || now >= crowded_until_) return write();
  write_pause_.expires_at(next_write_);
  write_pause_.async_wait([weak = weak_from_this()](boost::system::error_code) {
    if (const auto self = weak.lock()) self->write();
  });
}

void Webhooks::write() {
  next_write_ = steady_now() + kBetweenWrites;
  using Batch = std::vector<std::shared_ptr<Waiter>>;
  const std::size_t count = std::min(to_write_.size(), kMostEventsTogether);
  const auto batch = std::make_shared<Batch>(
      to_write_.begin(), to_write_.begin() + static_cast<std::ptrdiff_t>(count));
  to_write_.erase(to_write_.begin(), to_write_.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<WebhookEvent> events;
  for (const auto& waiter : *batch) events.push_back(waiter->event);
  Desk::Act<std::uint64_t> act = [events = std::move(events)](Store& store) {
    return store.webhooks().queue(events);
  };
  desk_->ask<std::uint64_t>(
      std::move(act), [self = shared_from_this(), batch](const Result<std::uint64_t>& stored) {
        for (const auto& waiter : *batch) {
          if (!stored) self->hold(waiter->event, stored.error());
          waiter->stored.cancel();
          if (stored) self->wake(waiter->event);
        }
        self->writing_ = !self->to_write_.empty();
        if (self->writing_) self->write_soon();
      });
}

void Webhooks::tell(Type type, About about) {
  auto event = make(type, std::move(about));
  if (!event) return;
  Desk::Act<std::uint64_t> act = [event = *event](Store& store) {
    return store.webhooks().queue({event});
  };
  desk_->ask<std::uint64_t>(std::move(act), [self = shared_from_this(), event = *std::move(event)](
                                                const Result<std::uint64_t>& queued) {
    if (!queued) self->hold(event, queued.error());
  });
}

// ---- events that the store did not take

// For example because the disk is full. follow_others() stores them later.
void Webhooks::hold(const WebhookEvent& event, const Error& why) {
  const bool is_first = held_.empty();
  if (stopped_ || !held_.add(event)) {
    if (stopped_ || dropped_.empty()) {
      log::error("webhook", "events are lost: neither the store nor the memory takes them",
                 {{"event", event.id}, {"reason", why.message}});
    }
    return count_as_dropped(event);
  }
  if (!is_first) return;
  log::error("webhook", "events wait in memory, because the store does not take them",
             {{"event", event.id}, {"reason", why.message}});
}

void Webhooks::count_as_dropped(const WebhookEvent& event) {
  for (const WebhookRecord& record : records_) {
    if (!covers(record, event.type, event.of_host, event.principal, event.agent, event.webhooks))
      continue;
    ++dropped_[record.id];
    if (settings_.on_refusal) settings_.on_refusal("limits.webhook_waiting");
  }
}

// All in one transaction: if that fails, the same events are stored later.
void Webhooks::store_held() {
  if (storing_held_ || (held_.empty() && dropped_.empty())) return;
  storing_held_ = true;
  const std::vector<WebhookEvent> events = held_.oldest(kMostEventsTogether);
  auto dropped = std::exchange(dropped_, {});
  Desk::Act<bool> act = [events, dropped](Store& store) -> Result<bool> {
    const auto stored = store.together([&] { return store_and_count(store, events, dropped); });
    if (!stored) return stored.error();
    return true;
  };
  desk_->ask<bool>(std::move(act),
                   [self = shared_from_this(), events, dropped](const Result<bool>& stored) {
                     self->storing_held_ = false;
                     if (!stored) {
                       for (const auto& [id, number] : dropped) self->dropped_[id] += number;
                       return;
                     }
                     self->held_.remove(events.size());
                     for (const WebhookEvent& event : events) self->wake(event);
                     self->store_held();
                   });
}

// ---- registration

Result<void> Webhooks::check(const Wanted& wanted) const {
  if (!wanted.url) return {};
  const auto checked = sender_.check_url(*wanted.url);
  return checked ? checked : json::fault_at("/url", checked.error().message);
}

awaitable<Result<WebhookRecord>> Webhooks::add(Owner owner, Wanted wanted, std::string made_by) {
  const auto self = shared_from_this();
  HOST_CO_TRY(check(wanted));
  WebhookRecord record = new_record(owner.principal, wanted, std::move(made_by), clock_.wall());
  record.agent = owner.agent;
  using Added = store::WebhookStore::Added;
  Desk::Act<Added> act = [record](Store& store) { return store.webhooks().add(record); };
  HOST_CO_TRY_ASSIGN(const Added added, co_await desk_->ask<Added>(std::move(act)));
  if (added == Added::Full) {
    if (settings_.on_refusal) settings_.on_refusal("limits.webhooks_per_principal");
    co_return Error{ErrorKind::Unavailable,
                    "you have " + std::to_string(settings_.per_principal) +
                        " webhooks (limits.webhooks_per_principal), or the host has too many "
                        "(limits.webhooks): remove one"};
  }
  co_await reload_after_change();
  co_return record;
}

awaitable<Result<std::vector<WebhookRecord>>> Webhooks::list(Owner owner) {
  using Records = std::vector<WebhookRecord>;
  Desk::Act<Records> act = [](Store& store) { return store.webhooks().list(); };
  HOST_CO_TRY_ASSIGN(Records records, co_await desk_->ask<Records>(std::move(act)));
  std::erase_if(records, [&owner](const WebhookRecord& record) { return !owner.owns(record); });
  co_return records;
}

awaitable<Result<Webhooks::Found>> Webhooks::find(Owner owner, std::string id) {
  Desk::Act<Found> act = [id = std::move(id)](Store& store) { return store.webhooks().find(id); };
  HOST_CO_TRY_ASSIGN(Found found, co_await desk_->ask<Found>(std::move(act)));
  if (found && !owner.owns(*found)) found.reset();
  co_return found;
}

awaitable<Result<Webhooks::Found>> Webhooks::change(Owner owner, std::string id, Wanted wanted) {
  const auto self = shared_from_this();
  HOST_CO_TRY(check(wanted));
  Desk::Act<Found> act = [owner, id = std::move(id), wanted = std::move(wanted),
                          now = clock_.wall()](Store& store) {
    return store.webhooks().change(id, [&](WebhookRecord& record) -> Result<void> {
      if (!owner.owns(record)) return Error{ErrorKind::NotFound, "another principal's"};
      // Whether it is enabled is no setting of the file: receivers may disable it.
      const bool only_enables =
          !wanted.url && !wanted.description && !wanted.events && !wanted.covers && !wanted.secret;
      if (is_configured(record) && !only_enables) return configured_only();
      return apply(wanted, now, record);
    });
  };
  auto changed = co_await desk_->ask<Found>(std::move(act));
  if (!changed && changed.error().kind == ErrorKind::NotFound) co_return Found();
  if (changed && *changed) co_await reload_after_change();
  co_return changed;
}

awaitable<Result<bool>> Webhooks::remove(Owner owner, std::string id) {
  const auto self = shared_from_this();
  Desk::Act<bool> act = [owner, id = std::move(id)](Store& store) -> Result<bool> {
    HOST_TRY_ASSIGN(const Found found, store.webhooks().find(id));
    if (!found || !owner.owns(*found)) return false;
    if (is_configured(*found)) return configured_only();
    return store.webhooks().remove(id);
  };
  HOST_CO_TRY_ASSIGN(const bool removed, co_await desk_->ask<bool>(std::move(act)));
  if (removed) co_await reload_after_change();
  co_return removed;
}

std::string Webhooks::unknown_of(const std::string& principal,
                                 const std::vector<std::string>& ids) const {
  for (const std::string& id : ids) {
    const bool known = std::any_of(records_.begin(), records_.end(), [&](const auto& record) {
      return record.id == id && record.principal == principal;
    });
    if (!known) return id;
  }
  return {};
}

// The store first: what was delivered to it until now is stored with the change.
awaitable<void> Webhooks::disable(std::string id, std::string url, std::string reason) {
  const auto self = shared_from_this();
  Desk::Act<Found> act = [id, url, reason, now = clock_.wall()](Store& store) {
    return store.webhooks().change(id, [&](WebhookRecord& record) -> Result<void> {
      if (record.url != url) return Error{ErrorKind::NotFound, "it has another URL now"};
      record.enabled = false;
      record.reason = reason;
      record.changed = now;
      return {};
    });
  };
  const auto changed = co_await desk_->ask<Found>(std::move(act));
  if (!changed) {  // its lane goes on as soon as the store has been read, and fails again
    is_stale_ = true;
    if (changed.error().kind != ErrorKind::NotFound) {
      log::warning("webhook", "a webhook could not be disabled",
                   {{"webhook", id}, {"reason", changed.error().message}});
    }
    co_return;
  }
  if (!*changed) co_return;
  log::warning("webhook", "a webhook is disabled", {{"webhook", id}, {"reason", reason}});
  if (on_disabled_) on_disabled_(**changed);
  co_await reload_after_change();
}

// ---- deliveries

awaitable<Result<std::optional<Answer>>> Webhooks::test(Owner owner, std::string id) {
  const auto self = shared_from_this();
  HOST_CO_TRY_ASSIGN(const Found found, co_await find(owner, id));
  if (!found) co_return std::optional<Answer>();
  if (stopped_) co_return Error{ErrorKind::Unavailable, "the host stops"};
  if (!testing_.try_emplace(found->principal).second) {
    co_return Error{ErrorKind::Unavailable, "a test of a webhook of yours has not ended yet"};
  }
  Message message = test_message(*found, clock_.wall());
  auto initiate = [this](auto handler, Message what, Test* test) {
    auto kept = std::make_shared<std::optional<decltype(handler)>>(std::move(handler));
    test->done = [kept](Answer answer) {
      if (auto once = std::exchange(*kept, std::nullopt)) std::move (*once)(std::move(answer));
    };
    test->sending = sender_.send(what, test->done);
  };
  Answer answer = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Answer)>(
      initiate, asio::use_awaitable, std::move(message), &testing_.at(found->principal));
  testing_.erase(found->principal);
  if (stopped_ && answer.was_not_made) co_return Error{ErrorKind::Unavailable, "the host stops"};
  co_return std::optional<Answer>(std::move(answer));
}

awaitable<Result<Webhooks::FoundDeliveries>> Webhooks::deliveries(Owner owner, std::string id,
                                                                  bool dead, std::string before,
                                                                  std::uint32_t most) {
  Desk::Act<FoundDeliveries> act = [owner, id = std::move(id), dead, before = std::move(before),
                                    most](Store& store) -> Result<FoundDeliveries> {
    HOST_TRY_ASSIGN(const Found found, store.webhooks().find(id));
    if (!found || !owner.owns(*found)) return FoundDeliveries();
    HOST_TRY_ASSIGN(auto all, store.webhooks().deliveries(id, dead, before, most));
    return FoundDeliveries(std::move(all));
  };
  auto found = co_await desk_->ask<FoundDeliveries>(std::move(act));
  co_return found;
}

awaitable<Result<std::optional<std::uint64_t>>> Webhooks::replay(Owner owner, std::string id,
                                                                 std::vector<std::string> events) {
  const auto self = shared_from_this();
  using Count = std::optional<std::uint64_t>;
  Desk::Act<Count> act = [owner, id, events = std::move(events),
                          now = clock_.wall()](Store& store) -> Result<Count> {
    HOST_TRY_ASSIGN(const Found found, store.webhooks().find(id));
    if (!found || !owner.owns(*found)) return Count();
    if (!found->enabled) {
      return Error{ErrorKind::InvalidArgument,
                   "the webhook is disabled: enable it first, with {\"enabled\": true}"};
    }
    HOST_TRY_ASSIGN(const std::uint64_t count, store.webhooks().replay(id, events, now));
    return Count(count);
  };
  auto replayed = co_await desk_->ask<Count>(std::move(act));
  deliveries_->wake([&id](const WebhookRecord& record) { return record.id == id; });
  co_return replayed;
}

}  // namespace host::webhook
