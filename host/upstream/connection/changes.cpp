#include "upstream/connection/changes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/client_requests.h"

namespace host::upstream {
namespace {

constexpr std::chrono::milliseconds kFirstPauseOfChanges{500};
constexpr std::chrono::milliseconds kMostPauseOfChanges{60'000};
constexpr std::chrono::seconds kLasting{30};
constexpr std::chrono::seconds kSubscribeTimeout{30};

}  // namespace

bool Changes::is_stateless() const {
  return protocol::features(self_->version).stateless;
}

void Changes::begin(const protocol::ServerSelf& self) {
  self_ = self;
  if (is_stateless()) return listen();
  follow(std::exchange(followed_, {}));
}

void Changes::follow(const std::set<std::string>& uris) {
  if (uris == followed_) return;
  const std::set<std::string> before = std::exchange(followed_, uris);
  if (!self_ || !self_->resources_subscribe) return;
  if (is_stateless()) {
    // The old subscription ends after the new one was sent, so that nothing is missed.
    const auto old = std::exchange(listening_, std::nullopt);
    listen();
    if (old) line_.cancel(*old, "other resources are followed now");
    return;
  }
  for (const std::string& uri : followed_)
    if (!before.contains(uri)) tell_one("resources/subscribe", uri);
  for (const std::string& uri : before)
    if (!followed_.contains(uri)) tell_one("resources/unsubscribe", uri);
}

// A refusal changes nothing: the upstream does not notify about that resource.
void Changes::tell_one(const char* method, const std::string& uri) {
  Request request;
  request.method = method;
  request.members = protocol::uri_member(uri);
  request.timeout = kSubscribeTimeout;
  request.on_answer = [](const Answer&) {};
  line_.send(std::move(request));
}

// A server that ends the subscription has no more to say; the next connection asks again.
void Changes::listen() {
  const bool lists_change = self_->tools_change || self_->resources_change || self_->prompts_change;
  std::vector<std::string> uris;
  if (self_->resources_subscribe) uris.assign(followed_.begin(), followed_.end());
  if (!lists_change && uris.empty()) return;
  Request request;
  request.method = "subscriptions/listen";
  request.members = protocol::listen_members(uris);
  request.on_answer = [this](const Answer& answer) { listen_again(answer); };
  listens_since_ = steady_now();
  listening_ = line_.send(std::move(request));
}

// Over HTTP the stream of changes may break off alone. What changed meanwhile is not known.
void Changes::listen_again(const Answer& answer) {
  listening_.reset();
  const bool broke_off = answer.kind == Answer::Kind::Failed && answer.why.kind == ErrorKind::Io;
  if (!broke_off || !self_) return;
  const bool lasted = steady_now() - listens_since_ > kLasting;
  pause_ = lasted ? kFirstPauseOfChanges
                  : std::clamp(2 * pause_, kFirstPauseOfChanges, kMostPauseOfChanges);
  pause_timer_.expires_after(pause_);
  pause_timer_.async_wait([this](boost::system::error_code error) {
    if (error || !self_) return;
    if (!listening_) listen();
    line_.missed();
  });
}

}  // namespace host::upstream
