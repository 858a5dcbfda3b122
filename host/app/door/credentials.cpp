#include "app/door/credentials.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/core/core.h"
#include "mcp/http/endpoint.h"
#include "rest/route/events.h"

namespace host::app {
namespace {

// The wall's clock may be set meanwhile.
constexpr std::chrono::milliseconds kLookAgain = std::chrono::minutes(1);

}  // namespace

Credentials::Credentials(Core& core, std::shared_ptr<identity::Identities> identities,
                         mcp::HttpEndpoint& endpoint, rest::Events& events)
    : core_(core),
      identities_(std::move(identities)),
      endpoint_(endpoint),
      events_(events),
      clock_(system_clock()),
      next_(core.io()) {}

void Credentials::follow() {
  if (!identities_) return;
  identities_->on_expiry([this](const store::KeyRecord& key) {
    core_.audit().note(store::AuditEvent::Key, {{"id", key.id},
                                                {"principal", key.principal},
                                                {"agent", key.agent},
                                                {"by", "host"},
                                                {"outcome", "expired"}});
    core_.audit().flush();
  });
  identities_->on_loss([this](const std::string& principal) { lost_a_key(principal); });
  identities_->on_logins([this] {
    end_what_is_over();
    events_.changed("logins");
  });
}

void Credentials::lost_a_key(const std::string& principal) {
  const auto has_lost = [&](const std::string& who, const std::string& agent) {
    return who == principal && !identities_->keyring().lets_call(who, agent);
  };
  core_.detached().end_of(has_lost);  // first, so that none of them begins
  core_.live_calls().end_of(
      [&](const tool::Call& call) {
        const tool::Peer& who = call.passport->who;
        return has_lost(who.principal, who.agent);
      },
      Cancel::By::Credential);
  endpoint_.end_of([&](const tool::Peer& who) { return has_lost(who.principal, who.agent); });
  end_what_is_over();  // a login ends with the key that it was made by
}

void Credentials::note(const tool::Peer& who, bool calls) {
  if (stopped_ || !who.credential || !who.credential->expires) return;
  const WallTime end = *who.credential->expires;
  if (calls) {
    WallTime& last = last_of_.try_emplace(who.principal, end).first->second;
    last = std::max(last, end);
  }
  const auto [at, fresh] = ends_.insert(end);
  if (fresh && at == ends_.begin()) await_next();
}

void Credentials::await_next() {
  if (stopped_ || ends_.empty()) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*ends_.begin() - clock_.wall());
  next_.expires_after(std::clamp(left, std::chrono::milliseconds(0), kLookAgain));
  next_.async_wait([this](boost::system::error_code error) {
    if (error || stopped_) return;
    forget_tokens();
    end_what_is_over();
    await_next();
  });
}

void Credentials::forget_tokens() {
  const WallTime now = clock_.wall();
  ends_.erase(ends_.begin(), ends_.upper_bound(now));
  std::erase_if(last_of_, [now](const auto& one) { return one.second <= now; });
}

bool Credentials::is_over(const tool::Credential& credential) const {
  if (credential.expires) return *credential.expires <= clock_.wall();
  return !identities_ || !identities_->keyring().has_login(credential.login);
}

bool Credentials::ends(const tool::Call& call) const {
  const tool::Peer& who = call.passport->who;
  if (!who.credential || !is_over(*who.credential)) return false;
  const bool renewed = who.credential->expires && last_of_.contains(who.principal);
  return !renewed;
}

void Credentials::end_what_is_over() {
  core_.live_calls().end_of([this](const tool::Call& call) { return ends(call); },
                            Cancel::By::Credential);
  endpoint_.close_streams_of(
      [this](const tool::Peer& who) { return who.credential && is_over(*who.credential); });
  events_.close_ended();
}

void Credentials::stop() {
  stopped_ = true;
  next_.cancel();
}

}  // namespace host::app
