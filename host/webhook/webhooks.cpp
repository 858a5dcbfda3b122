#include "webhook/webhooks.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
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

constexpr std::string_view kNotConfigured = "it is not in config.toml any more";
// A secret that is newer is not signed with as the old one, see apply().
constexpr std::chrono::minutes kFreshSecret{1};

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

// The configuration files that have it, one in each line after the first one.
std::set<std::string> files_of(const WebhookRecord& record) {
  std::set<std::string> files;
  std::istringstream lines(record.made_by);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) files.insert(line);
  return files;
}

std::string made_by_config(const std::set<std::string>& files) {
  std::string made_by(kConfigured);
  for (const std::string& file : files) made_by += "\n" + file;
  return made_by;
}

bool is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// `file` has this webhook no more. It goes on if another host's file has it.
Result<void> leave(Store& store, const WebhookRecord& record, const std::string& file) {
  std::set<std::string> files = files_of(record);
  if (!files.empty() && !files.contains(file)) return {};
  files.erase(file);
  std::erase_if(files, [](const std::string& other) { return !is_there(other); });
  if (files.empty()) {
    log::warning("webhook", "a webhook is disabled, because config.toml does not have it any more",
                 {{"webhook", record.id}, {"waiting", std::to_string(record.waiting)}});
  }
  const auto change = [&files](WebhookRecord& now) -> Result<void> {
    now.made_by = made_by_config(files);
    if (!files.empty()) return {};
    now.enabled = false;
    now.reason = kNotConfigured;
    return {};
  };
  HOST_TRY(store.webhooks().change(record.id, change));
  return {};
}

// `file` has this webhook.
Result<void> take_over(Store& store, const WebhookRecord& record, const std::string& file) {
  const auto take = [&record, &file](WebhookRecord& now) -> Result<void> {
    std::set<std::string> files = files_of(now);
    files.insert(file);
    if (now.reason == kNotConfigured) {
      now.enabled = true;
      now.reason.clear();
    }
    now.made_by = made_by_config(files);
    now.principal = record.principal;
    now.url = record.url;
    now.description = record.description;
    now.events = record.events;
    now.covers = record.covers;
    now.secret = record.secret;
    now.old_secret = record.old_secret;
    now.old_until = record.old_until;
    return {};
  };
  const auto changed = store.webhooks().change(record.id, take);
  if (changed && *changed) return {};
  if (!changed && changed.error().kind != ErrorKind::Denied) return changed.error();
  if (!changed) HOST_TRY(store.webhooks().remove(record.id));  // its secret cannot be read
  WebhookRecord made = record;
  made.made_by = made_by_config({file});
  HOST_TRY_ASSIGN(const auto added, store.webhooks().add(made));
  if (added != store::WebhookStore::Added::Full) return {};
  return Error{ErrorKind::Unavailable, "webhook \"" + record.id +
                                           "\" is one too many: limits.webhooks or "
                                           "limits.webhooks_per_principal is reached"};
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
  asio::steady_timer stored;
  Result<void> result;
};

identity::Scopes needed_for(const WebhookRecord& record) {
  identity::Scopes needed(identity::Scope::Call);
  if (record.covers == WebhookCovers::All) needed = needed.with(identity::Scope::Approve);
  for (const EventType& type : event_types()) {
    if ((record.events & bit(type.type)) != 0) needed = needed.with(type.needed);
  }
  return needed;
}

bool Owner::owns(const WebhookRecord& record) const {
  if (all) return true;
  const std::uint32_t needed = needed_for(record).bits();
  return record.principal == principal && (agent.empty() || record.agent == agent) &&
         (scopes.bits() & needed) == needed;
}

bool is_of_config(const WebhookRecord& record) {
  return shown_maker(record) == kConfigured;
}

std::string_view shown_maker(const WebhookRecord& record) {
  return std::string_view(record.made_by).substr(0, record.made_by.find('\n'));
}

bool is_configured(const WebhookRecord& record) {
  if (!is_of_config(record) || record.reason == kNotConfigured) return false;
  const std::set<std::string> files = files_of(record);
  return files.empty() || std::any_of(files.begin(), files.end(), &is_there);
}

WebhookRecord new_record(std::string principal, const Wanted& wanted, std::string made_by,
                         WallTime now) {
  WebhookRecord record;
  record.id = "wh_" + random_id();
  record.principal = std::move(principal);
  record.made_by = std::move(made_by);
  record.created = now;
  record.secret = make_secret();
  apply(wanted, now, record);
  record.old_secret.clear();
  record.old_until = WallTime{};
  return record;
}

void apply(const Wanted& wanted, WallTime now, WebhookRecord& record) {
  const WallTime before = record.changed;
  record.changed = now;
  if (wanted.url) record.url = *wanted.url;
  if (wanted.description) record.description = *wanted.description;
  if (wanted.events) record.events = *wanted.events;
  if (wanted.covers) record.covers = *wanted.covers;
  if (wanted.enabled) {
    record.enabled = *wanted.enabled;
    record.reason.clear();
  }
  if (wanted.secret && *wanted.secret != record.secret) {
    const bool overlaps = wanted.old_secret_lasts.count() > 0;
    // A client that repeats a request has not given the last secret to its receiver yet.
    const bool is_repeated =
        !record.old_secret.empty() && now < record.old_until && now - before < kFreshSecret;
    if (!overlaps || !is_repeated) record.old_secret = overlaps ? record.secret : std::string();
    record.old_until = overlaps ? now + wanted.old_secret_lasts : WallTime{};
    record.secret = *wanted.secret;
  }
}

Message test_message(const WebhookRecord& record, WallTime now) {
  std::string data = "{";
  json::add_text(data, "webhook", record.id);
  Message message;
  message.url = record.url;
  message.secrets.push_back(record.secret);
  if (!record.old_secret.empty() && now < record.old_until)
    message.secrets.push_back(record.old_secret);
  message.id = "evt_" + random_id();
  message.body = body_of(Type::Test, now, data + "}");
  return message;
}

Result<void> configure(Store& store, const std::vector<WebhookRecord>& records,
                       const std::string& file) {
  return store.together([&]() -> Result<void> {
    HOST_TRY_ASSIGN(const std::vector<WebhookRecord> known, store.webhooks().list());
    for (const WebhookRecord& record : known) {
      const bool stays = std::any_of(records.begin(), records.end(),
                                     [&](const auto& one) { return one.id == record.id; });
      if (stays || !is_of_config(record) || record.reason == kNotConfigured) continue;
      HOST_TRY(leave(store, record, file));
    }
    for (const WebhookRecord& record : records) HOST_TRY(take_over(store, record, file));
    return {};
  });
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
          [this](const std::string& id, const std::string& reason) {
            spawn(io_, {"webhook", "disables a webhook"}, disable(id, reason));
          })),
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
  deliveries_->stop();
}

awaitable<Result<void>> Webhooks::reload() {
  const auto self = shared_from_this();
  using Records = std::vector<WebhookRecord>;
  Desk::Act<Records> act = [](Store& store) { return store.webhooks().list(); };
  HOST_CO_TRY_ASSIGN(records_, co_await desk_->ask<Records>(std::move(act)));
  wanted_ = 0;
  for (const WebhookRecord& record : records_) wanted_ |= record.enabled ? record.events : 0;
  deliveries_->set(records_);
  if (on_change_) on_change_();
  co_return Result<void>();
}

// What the command line registers, changes or replays.
awaitable<void> Webhooks::follow_others() {
  const auto self = shared_from_this();
  while (!stopped_) {
    look_again_.expires_after(kLookEvery);
    co_await look_again_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped_) co_return;
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
  WebhookEvent event;
  event.id = "evt_" + random_id();
  event.type = bit(type);
  event.of_host = webhook::about(type).of_host;
  event.at = clock_.wall();
  event.body = body_of(type, event.at, about.data);
  event.principal = std::move(about.principal);
  event.agent = std::move(about.agent);
  event.webhooks = std::move(about.webhooks);
  wake(event);
  return event;
}

// The look for due deliveries is submitted to the store in a later turn, so behind the transaction.
void Webhooks::wake(const WebhookEvent& event) {
  deliveries_->wake([&event](const WebhookRecord& record) {
    return covers(record, event.type, event.of_host, event.principal, event.agent, event.webhooks);
  });
}

awaitable<Result<void>> Webhooks::queue(WebhookEvent event) {
  const auto self = shared_from_this();
  const auto waiter = std::make_shared<Waiter>(io_, std::move(event));
  to_write_.push_back(waiter);
  if (!std::exchange(writing_, true)) write();  // in this turn, so before the look of make()
  co_await waiter->stored.async_wait(asio::as_tuple(asio::use_awaitable));
  co_return waiter->result;
}

void Webhooks::write() {
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
          if (!stored) waiter->result = stored.error();
          waiter->stored.cancel();
          if (stored) self->wake(waiter->event);
        }
        self->writing_ = !self->to_write_.empty();
        if (self->writing_) self->write();
      });
}

void Webhooks::tell(Type type, About about) {
  auto event = make(type, std::move(about));
  if (!event) return;
  Desk::Act<std::uint64_t> act = [event = *std::move(event)](Store& store) {
    return store.webhooks().queue({event});
  };
  desk_->ask<std::uint64_t>(std::move(act), [](const Result<std::uint64_t>& queued) {
    if (queued) return;
    log::error("webhook", "an event is lost: it could not be stored",
               {{"reason", queued.error().message}});
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
  HOST_CO_TRY(co_await reload());
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
      apply(wanted, now, record);
      return {};
    });
  };
  auto changed = co_await desk_->ask<Found>(std::move(act));
  if (!changed && changed.error().kind == ErrorKind::NotFound) co_return Found();
  if (changed && *changed) {
    HOST_CO_TRY(co_await reload());
  }
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
  if (removed) {
    HOST_CO_TRY(co_await reload());
  }
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
awaitable<void> Webhooks::disable(std::string id, std::string reason) {
  const auto self = shared_from_this();
  Desk::Act<Found> act = [id, reason, now = clock_.wall()](Store& store) {
    return store.webhooks().change(id, [&](WebhookRecord& record) -> Result<void> {
      record.enabled = false;
      record.reason = reason;
      record.changed = now;
      return {};
    });
  };
  const auto changed = co_await desk_->ask<Found>(std::move(act));
  if (!changed || !*changed) co_return;
  log::warning("webhook", "a webhook is disabled", {{"webhook", id}, {"reason", reason}});
  if (on_disabled_) on_disabled_(**changed);
  const auto reloaded = co_await reload();
  if (!reloaded) log::warning("webhook", reloaded.error().message);
}

// ---- deliveries

awaitable<Result<std::optional<Answer>>> Webhooks::test(Owner owner, std::string id) {
  const auto self = shared_from_this();
  HOST_CO_TRY_ASSIGN(const Found found, co_await find(owner, id));
  if (!found) co_return std::optional<Answer>();
  if (!testing_.insert(found->principal).second) {
    co_return Error{ErrorKind::Unavailable, "a test of a webhook of yours has not ended yet"};
  }
  Message message = test_message(*found, clock_.wall());
  auto initiate = [this](auto handler, Message what) {
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    sender_.send(what, [kept](Answer answer) { std::move (*kept)(std::move(answer)); });
  };
  Answer answer = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Answer)>(
      initiate, asio::use_awaitable, std::move(message));
  testing_.erase(found->principal);
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
