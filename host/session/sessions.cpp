#include "session/sessions.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "session/stored.h"

namespace host::session {
namespace {

namespace asio = boost::asio;
using store::Desk;
using store::SessionRecord;
using store::Store;

constexpr std::chrono::milliseconds kLookEvery{1000};  // at what other processes changed
constexpr std::chrono::seconds kTellEvery{30};         // which were used
constexpr std::size_t kIdBytes = 16;
// Sessions that end in one transaction. Between two of them, the store and the I/O thread do other
// work.
constexpr std::size_t kEndedAtOnce = 200;

Error full(std::string_view limit, std::string_view whose) {
  return {ErrorKind::Unavailable, std::string(whose) + " (" + std::string(limit) +
                                      "): end one that is not needed any more"};
}

}  // namespace

Sessions::Sessions(asio::any_io_executor io, std::shared_ptr<Desk> desk, const Clock& clock,
                   Limits limits)
    : io_(std::move(io)),
      desk_(std::move(desk)),
      clock_(clock),
      limits_(std::move(limits)),
      pause_(io_),
      told_(clock_.steady()) {}

Result<void> Sessions::open() {
  if (!desk_) return {};
  using Records = std::vector<SessionRecord>;
  const WallTime limit = clock_.wall() - limits_.idle;
  Desk::Act<Records> read = [limit](Store& store) -> Result<Records> {
    HOST_TRY(store.sessions().changed_by_others());
    HOST_TRY(store.sessions().forget_left_behind());
    HOST_TRY(store.sessions().forget_unused_since(limit));
    return store.sessions().list();
  };
  HOST_TRY_ASSIGN(const Records records, desk_->ask_and_wait<Records>(std::move(read)));
  for (const SessionRecord& record : records) take_in(record);
  following_ = true;
  begin_to_follow();
  return {};
}

void Sessions::stop() {
  if (!stopping_ && following_) tell_uses();
  stopping_ = true;
  pause_.cancel();
}

void Sessions::take_in(const SessionRecord& record) {
  Session session = session_of(record);
  if (!record.tools.empty()) session.settings.tools = texts_.share(record.tools);
  seat(std::make_shared<const Session>(std::move(session)), record.used, true);
}

void Sessions::seat(SessionPtr session, WallTime used, bool stored) {
  const auto [at, fresh] = seats_.try_emplace(session->id);
  if (fresh && !session->of_client) {
    ++counts_[session->principal];
    ++counted_;
  }
  at->second = {std::move(session), used, stored, true};
}

void Sessions::unseat(Seats::iterator at) {
  const SessionPtr session = at->second.session;
  seats_.erase(at);
  if (!session->of_client) {
    const auto count = counts_.find(session->principal);
    if (--count->second == 0) counts_.erase(count);
    --counted_;
  }
  for (const Listener& listener : on_end_) listener(session);
}

std::optional<Error> Sessions::refusal(const std::string& principal) const {
  if (!desk_) {
    return Error{ErrorKind::Unavailable,
                 "this host keeps no sessions: store.file is empty in its configuration"};
  }
  const auto refuse = [this](std::string_view limit, std::string_view whose) {
    if (limits_.on_refusal) limits_.on_refusal(limit);
    return full(limit, whose);
  };
  if (is_full_for(principal)) {
    return refuse("limits.kept_sessions_per_principal",
                  "this principal has as many sessions as it may");
  }
  if (counted_ >= limits_.all) {
    return refuse("limits.kept_sessions", "this host has as many sessions as it may");
  }
  return std::nullopt;
}

bool Sessions::is_full_for(const std::string& principal) const {
  const auto own = counts_.find(principal);
  return own != counts_.end() && own->second >= limits_.per_principal;
}

awaitable<Result<SessionPtr>> Sessions::create(Wanted wanted) {
  const auto self = shared_from_this();
  co_await end_idle();
  if (auto refused = refusal(wanted.principal)) co_return *std::move(refused);
  auto made = std::make_shared<Session>();
  made->id = "s_" + random_id(kIdBytes);
  made->principal = std::move(wanted.principal);
  made->agent = std::move(wanted.agent);
  made->settings = std::move(wanted.settings);
  if (made->settings.tools) made->settings.tools = texts_.share(*made->settings.tools);
  made->created = clock_.wall();
  // Before the store has it, so that many at once do not pass a limit.
  ++counts_[made->principal];
  ++counted_;
  Desk::Act<bool> act = [record = record_of(*made, made->created)](Store& store) {
    return store.sessions().add(record);
  };
  const auto added = co_await desk_->ask<bool>(std::move(act));
  if (--counts_[made->principal] == 0) counts_.erase(made->principal);
  --counted_;
  if (!added) co_return added.error();
  if (!*added) co_return Error{ErrorKind::Internal, "a new session has an id that is in use"};
  SessionPtr session = std::move(made);
  seat(session, session->created, true);
  co_return session;
}

SessionPtr Sessions::find(std::string_view id) const {
  const auto at = seats_.find(id);
  return at == seats_.end() ? nullptr : at->second.session;
}

SessionPtr Sessions::find(std::string_view id, std::string_view principal) const {
  SessionPtr session = find(id);
  return session && session->principal == principal ? session : nullptr;
}

std::vector<SessionPtr> Sessions::list(std::string_view principal, std::string_view after,
                                       std::size_t most) const {
  std::vector<SessionPtr> found;
  for (auto at = seats_.upper_bound(after); at != seats_.end() && found.size() < most; ++at) {
    const SessionPtr& session = at->second.session;
    if (principal.empty() || session->principal == principal) found.push_back(session);
  }
  return found;
}

SessionPtr Sessions::changed(const Session& session, std::uint64_t expected, Settings settings) {
  auto next = std::make_shared<Session>(session);
  next->version = expected + 1;
  next->settings = std::move(settings);
  // What is shared already costs no digest again: with each todo_write, on the I/O thread.
  if (next->settings.tools && next->settings.tools != session.settings.tools)
    next->settings.tools = texts_.share(*next->settings.tools);
  return next;
}

// The store decides between two changes at once. A session of a client context is stored with its
// first change.
awaitable<Result<Sessions::Changed>> Sessions::change(std::string id, std::uint64_t expected,
                                                      Settings settings) {
  const auto self = shared_from_this();
  const auto at = seats_.find(id);
  if (at == seats_.end()) co_return Changed{};
  if (at->second.session->version != expected) co_return Changed{at->second.session, true};
  const SessionPtr before = at->second.session;
  const SessionPtr next = changed(*before, expected, std::move(settings));
  if (desk_) {
    Desk::Act<bool> act = [record = record_of(*next, clock_.wall()), expected,
                           stored = at->second.stored](Store& store) {
      return stored ? store.sessions().change(record, expected) : store.sessions().add(record);
    };
    const auto done = co_await desk_->ask<bool>(std::move(act));
    if (!done) co_return done.error();
    const auto now = seats_.find(id);
    if (now == seats_.end()) {  // it ended meanwhile
      remove_stored(id);
      co_return Changed{};
    }
    if (!*done) {
      auto newest = co_await clashed(std::move(id), expected);
      co_return newest;
    }
  }
  seat(next, clock_.wall(), desk_ != nullptr);
  for (const ChangeListener& listener : on_change_) listener(before, next);
  co_return Changed{next, false};
}

// A change by this process is in memory now, because the store answers in the order of the changes.
// A change by another one would else be read up to a second later.
awaitable<Result<Sessions::Changed>> Sessions::clashed(std::string id, std::uint64_t expected) {
  if (const SessionPtr now = find(id); !now || now->version != expected)
    co_return Changed{now, now != nullptr};
  using Found = std::optional<SessionRecord>;
  Desk::Act<Found> read = [id](Store& store) { return store.sessions().find(id); };
  HOST_CO_TRY_ASSIGN(const Found found, co_await desk_->ask<Found>(std::move(read)));
  if (found) {
    take_change(*found);
  } else if (const auto at = seats_.find(id); at != seats_.end()) {
    unseat(at);
  }
  const SessionPtr now = find(id);
  co_return Changed{now, now != nullptr};
}

awaitable<Result<bool>> Sessions::end(std::string id) {
  const auto self = shared_from_this();
  const auto at = seats_.find(id);
  if (at == seats_.end()) co_return false;
  if (at->second.stored) {
    Desk::Act<bool> act = [id](Store& store) { return store.sessions().remove(id); };
    const auto removed = co_await desk_->ask<bool>(std::move(act));
    if (!removed) co_return removed.error();
  }
  const auto now = seats_.find(id);
  if (now == seats_.end()) co_return false;
  unseat(now);
  co_return true;
}

SessionPtr Sessions::adopt(const std::string& id, const std::string& principal,
                           const std::string& agent, WallTime created) {
  if (SessionPtr known = find(id)) return known;
  auto made = std::make_shared<Session>();
  made->id = id;
  made->principal = principal;
  made->agent = agent;
  made->of_client = true;
  made->created = created;
  seat(made, clock_.wall(), false);
  return made;
}

void Sessions::release(std::string_view id) {
  const auto at = seats_.find(id);
  if (at == seats_.end() || !at->second.session->of_client) return;
  if (at->second.stored) remove_stored(at->first);
  unseat(at);
}

void Sessions::remove_stored(const std::string& id) {
  desk_->tell([id](Store& store) {
    if (const auto done = store.sessions().remove(id); !done) {
      log::warning("session", "a session that ended stays stored",
                   {{"reason", done.error().message}});
    }
  });
}

void Sessions::touch(std::string_view id) {
  const auto at = seats_.find(id);
  if (at == seats_.end()) return;
  at->second.used = clock_.wall();
  at->second.told = false;
  for (const UseListener& listener : on_use_) listener(at->first);
}

WallTime Sessions::used(std::string_view id) const {
  const auto at = seats_.find(id);
  return at == seats_.end() ? WallTime{} : at->second.used;
}

std::optional<WallTime> Sessions::expires(std::string_view id) const {
  const auto at = seats_.find(id);
  if (at == seats_.end() || at->second.session->of_client) return std::nullopt;
  return at->second.used + limits_.idle;
}

void Sessions::begin_to_follow() {
  spawn(io_, {"session", "follows stored sessions"}, follow(shared_from_this()),
        [weak = weak_from_this()](const Result<void>& ended) {
          const auto self = weak.lock();
          if (self && !ended && !self->stopping_) self->begin_to_follow();  // pauses first
        });
}

awaitable<void> Sessions::follow(std::shared_ptr<Sessions> self) {
  while (!self->stopping_) {
    self->pause_.expires_after(kLookEvery);
    boost::system::error_code ignored;
    co_await self->pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (self->stopping_) break;
    co_await self->look();
    if (self->stopping_) break;
    if (self->clock_.steady() - self->told_ < kTellEvery) continue;
    co_await self->end_idle();
    self->tell_uses();
  }
}

// What another process has changed: a session that it made, changed or ended.
awaitable<void> Sessions::look() {
  Desk::Act<bool> ask = [](Store& store) { return store.sessions().changed_by_others(); };
  const auto changed = co_await desk_->ask<bool>(std::move(ask));
  is_stale_ = is_stale_ || (changed && *changed);
  if (!is_stale_ || stopping_) co_return;
  const auto known = std::make_shared<Versions>();
  for (const auto& [id, seat] : seats_) {
    if (seat.stored) known->emplace(id, seat.session->version);
  }
  Desk::Act<News> read = [known](Store& store) { return news_of(store, *known); };
  const auto news = co_await desk_->ask<News>(std::move(read));
  if (!news || stopping_) co_return;
  is_stale_ = false;
  take_news(*known, *news);
}

Result<Sessions::News> Sessions::news_of(Store& store, const Versions& known) {
  News news;
  HOST_TRY_ASSIGN(const auto all, store.sessions().versions());
  for (const store::SessionVersion& each : all) {
    news.there.insert(each.id);
    const auto mine = known.find(each.id);
    if (mine != known.end() && mine->second >= each.version) continue;
    HOST_TRY_ASSIGN(auto record, store.sessions().find(each.id));
    if (record) news.fresh.push_back(*std::move(record));
  }
  return news;
}

// What this host itself did since the news was read is newer.
void Sessions::take_news(const Versions& known, const News& news) {
  for (const SessionRecord& record : news.fresh) {
    if (seats_.contains(record.id)) {
      take_change(record);
    } else if (!known.contains(record.id)) {  // else it ended here meanwhile
      take_in(record);
    }
  }
  for (const auto& [id, version] : known) {
    const auto at = seats_.find(id);
    if (at != seats_.end() && !news.there.contains(id)) unseat(at);
  }
}

void Sessions::take_change(const SessionRecord& record) {
  const SessionPtr before = find(record.id);
  if (!before || before->version >= record.version) return;
  take_in(record);
  const SessionPtr now = find(record.id);
  for (const ChangeListener& listener : on_change_) listener(before, now);
}

// Another host with the same store may have used a session that this one has not. So the store
// decides, and hosts have some time to tell it.
awaitable<void> Sessions::end_idle() {
  const WallTime limit = clock_.wall() - limits_.idle;
  std::vector<Idle> idle;  // a listener may change the table
  for (const auto& [id, seat] : seats_) {
    if (seat.session->of_client || seat.used >= limit) continue;
    idle.push_back({id, seat.used});
  }
  if (idle.empty() || !desk_) co_return;
  tell_uses();
  for (std::size_t from = 0; from < idle.size() && !stopping_; from += kEndedAtOnce) {
    const auto begin = idle.begin() + static_cast<std::ptrdiff_t>(from);
    const auto left = idle.end() - begin;
    std::vector<Idle> some(begin, begin + std::min<std::ptrdiff_t>(left, kEndedAtOnce));
    co_await end_unused(limit - kTellEvery, std::move(some));
  }
}

awaitable<void> Sessions::end_unused(WallTime since, std::vector<Idle> idle) {
  using Used = std::vector<std::optional<WallTime>>;
  Desk::Act<Used> act = [idle, since](Store& store) -> Result<Used> {
    Used used;
    HOST_TRY(store.together([&]() -> Result<void> {
      for (const Idle& one : idle) {
        HOST_TRY_ASSIGN(auto last, store.sessions().remove_unused(one.id, since));
        used.push_back(last);
      }
      return {};
    }));
    return used;
  };
  const auto used = co_await desk_->ask<Used>(std::move(act));
  if (!used) co_return;  // tried again later
  for (std::size_t i = 0; i < idle.size(); ++i) {
    const auto at = seats_.find(idle[i].id);
    if (at == seats_.end()) continue;
    const std::optional<WallTime>& last = (*used)[i];
    if (last) {
      at->second.used = std::max(at->second.used, *last);
    } else if (at->second.used != idle[i].used) {  // a call has come since
      desk_->tell([record = record_of(*at->second.session, at->second.used)](Store& store) {
        static_cast<void>(store.sessions().add(record));
      });
    } else {
      unseat(at);
    }
  }
}

void Sessions::tell_uses() {
  told_ = clock_.steady();
  if (!desk_) return;
  std::vector<store::SessionUse> uses;
  for (auto& [id, seat] : seats_) {
    if (seat.stored && !seat.told) uses.push_back({id, seat.used});
    seat.told = true;
  }
  if (uses.empty()) return;
  desk_->tell([uses = std::move(uses)](Store& store) {
    // Uses that are not stored now are stored with the next use.
    static_cast<void>(store.sessions().used(uses));
  });
}

}  // namespace host::session
