#include "mcp/http/kept_sessions.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "session/sessions.h"

namespace host::mcp {
namespace {

namespace asio = boost::asio;
using store::ClientContextRecord;
using store::Desk;
using store::Store;

constexpr std::chrono::milliseconds kLookEvery{1000};  // whether another process took one out
constexpr std::chrono::seconds kTellEvery{30};         // which were used
constexpr std::chrono::hours kForgetAfter{24 * 30};    // whoever's they were

// As they stand in the store: only added to.
constexpr bool tool::Abilities::*kAbilities[] = {
    &tool::Abilities::forms, &tool::Abilities::urls, &tool::Abilities::sampling,
    &tool::Abilities::sampling_tools, &tool::Abilities::roots};

std::uint32_t bits_of(const tool::Abilities& abilities) {
  std::uint32_t bits = 0;
  std::uint32_t bit = 1;
  for (const auto one : kAbilities) {
    if (abilities.*one) bits |= bit;
    bit <<= 1u;
  }
  return bits;
}

tool::Abilities abilities_in(std::uint32_t bits) {
  tool::Abilities abilities;
  for (const auto one : kAbilities) {
    abilities.*one = (bits & 1u) != 0;
    bits >>= 1u;
  }
  return abilities;
}

HttpSessions::Restored restored_from(const ClientContextRecord& record, protocol::Version version) {
  HttpSessions::Restored session;
  session.id = record.id;
  session.who = {record.principal, record.agent, record.session};
  session.version = version;
  session.abilities = abilities_in(record.abilities);
  session.settings.log_level = record.log_level;
  session.settings.followed = {record.followed.begin(), record.followed.end()};
  session.created = record.created;
  return session;
}

}  // namespace

KeptSessions::KeptSessions(asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
                           const Clock& clock, std::string address,
                           std::shared_ptr<session::Sessions> durable)
    : io_(std::move(io)),
      desk_(std::move(desk)),
      writer_(std::make_shared<ContextWriter>(io_, desk_)),
      clock_(clock),
      address_(std::move(address)),
      durable_(std::move(durable)),
      pause_(io_),
      told_(clock_.steady()) {}

Result<void> KeptSessions::take_in(HttpSessions& sessions) {
  Desk::Act<std::vector<ClientContextRecord>> read =
      [address = address_, then = clock_.wall() - kForgetAfter](
          Store& store) -> Result<std::vector<ClientContextRecord>> {
    HOST_TRY(store.client_contexts().changed_by_others());
    HOST_TRY(store.client_contexts().forget_unused_since(then));
    return store.client_contexts().list(address);
  };
  HOST_TRY_ASSIGN(const auto records, desk_->ask_and_wait<std::vector<ClientContextRecord>>(read));
  sessions.on_end([weak = weak_from_this()](const HttpSession& session) {
    if (const auto self = weak.lock()) self->remove(session);
  });
  for (const ClientContextRecord& record : records) {
    const auto version = protocol::legacy_version_from(record.version);
    if (!version) continue;  // of a newer host
    if (!adopt(record)) {
      writer_->remove(record.id);
      continue;
    }
    const auto idle = std::max(clock_.wall() - record.used, WallTime::duration(0));
    sessions.restore(restored_from(record, *version), io_,
                     std::chrono::duration_cast<std::chrono::milliseconds>(idle));
  }
  begin_to_follow(sessions);
  return {};
}

ClientContextRecord KeptSessions::record_of(const HttpSession& session) const {
  ClientContextRecord record;
  record.id = session.id;
  record.principal = session.who.principal;
  record.agent = session.who.agent;
  record.session = session.who.session;
  record.owner = address_;
  record.version = protocol::to_string(session.version);
  record.abilities = bits_of(session.abilities);
  record.log_level = session.settings.log_level;
  record.followed.assign(session.settings.followed.begin(), session.settings.followed.end());
  record.created = session.created;
  record.used = clock_.wall();
  return record;
}

asio::awaitable<void> KeptSessions::put(std::shared_ptr<HttpSession> session) {
  const auto self = shared_from_this();
  session->kept_settings = session->settings;
  const auto done = co_await writer_->put(record_of(*session));
  if (done) {
    session->kept = true;
    if (session->ended) remove(*session);
  } else {
    session->kept_settings.reset();  // a later request stores them
    log::warning("session",
                 session->kept ? "a change of a session is not stored: a restart would lose it"
                               : "a session is not stored: a restart would end it",
                 {{"reason", done.error().message}});
  }
}

bool KeptSessions::should_put(const HttpSession& session) const {
  return !session.ended && session.settings != session.kept_settings && desk_->fault().empty();
}

void KeptSessions::remove(const HttpSession& session) {
  if (session.kept) writer_->remove(session.id);
}

// False: its session has ended while no host served it.
bool KeptSessions::adopt(const ClientContextRecord& record) {
  if (!durable_) return true;
  if (!record.session.empty()) return durable_->find(record.session, record.principal) != nullptr;
  durable_->adopt(record.id, record.principal, record.agent, record.created);
  return true;
}

void KeptSessions::begin_to_follow(HttpSessions& sessions) {
  spawn(io_, {"session", "follows stored sessions"}, follow(sessions),
        [weak = weak_from_this(), &sessions](const Result<void>& ended) {
          const auto self = weak.lock();
          if (self && !ended && !self->stopping_) self->begin_to_follow(sessions);  // pauses first
        });
}

asio::awaitable<void> KeptSessions::follow(HttpSessions& sessions) {
  const auto self = shared_from_this();
  while (!stopping_) {
    pause_.expires_after(kLookEvery);
    boost::system::error_code ignored;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (stopping_) break;
    if (sessions.size() > 0) co_await look(sessions);
    if (!stopping_ && clock_.steady() - told_ >= kTellEvery) tell_uses(sessions);
  }
}

asio::awaitable<void> KeptSessions::look(HttpSessions& sessions) {
  using Ids = std::optional<std::set<std::string>>;
  Desk::Act<Ids> act = [address = address_, stale = is_stale_](Store& store) -> Result<Ids> {
    HOST_TRY_ASSIGN(const bool changed, store.client_contexts().changed_by_others());
    if (!changed && !stale) return Ids();
    HOST_TRY_ASSIGN(const auto records, store.client_contexts().list(address));
    Ids ids(std::in_place);
    for (const ClientContextRecord& record : records) ids->insert(record.id);
    return ids;
  };
  const auto ids = co_await desk_->ask<Ids>(std::move(act));
  is_stale_ = !ids;
  if (!ids || !*ids || stopping_) co_return;
  sessions.remove_if(
      [&](const HttpSession& session) { return session.kept && !(*ids)->contains(session.id); });
}

void KeptSessions::tell_uses(const HttpSessions& sessions) {
  const SteadyTime now = clock_.steady();
  std::vector<store::ClientContextUse> uses;
  sessions.used_since(told_, [&](const HttpSession& session, SteadyTime used) {
    if (!session.kept) return;
    const auto ago = std::chrono::duration_cast<WallTime::duration>(now - used);
    uses.push_back({session.id, clock_.wall() - ago});
  });
  told_ = now;
  if (uses.empty()) return;
  desk_->tell([uses = std::move(uses)](Store& store) {
    // What could not be told now is told with the next use.
    static_cast<void>(store.client_contexts().used(uses));
  });
}

void KeptSessions::stop(const HttpSessions& sessions) {
  if (!stopping_) tell_uses(sessions);
  stopping_ = true;
  pause_.cancel();
}

}  // namespace host::mcp
