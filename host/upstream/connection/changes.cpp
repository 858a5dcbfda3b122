#include "upstream/connection/changes.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "protocol/client_requests.h"

namespace host::upstream {
namespace {

constexpr std::chrono::milliseconds kFirstPauseOfChanges{500};
constexpr std::chrono::milliseconds kMostPauseOfChanges{60'000};
constexpr std::chrono::seconds kLasting{30};
constexpr std::chrono::seconds kSubscribeTimeout{30};
// Over HTTP each request is a stream, and the calls of clients need streams too.
constexpr std::size_t kMostSubscribing = 4;

// The upstream did not get the request, or nobody knows.
bool is_untold(const Answer& answer) {
  return answer.kind == Answer::Kind::Failed && answer.why.kind != ErrorKind::InvalidArgument &&
         answer.why.kind != ErrorKind::PluginFault;
}

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
  std::set_symmetric_difference(before.begin(), before.end(), followed_.begin(), followed_.end(),
                                std::inserter(due_, due_.end()));
  tell_next();
}

void Changes::tell_next() {
  while (self_ && !is_pausing_) {
    const auto uri = take_due();
    if (!uri) return;
    const bool subscribes = followed_.contains(*uri);
    // The end of a request about the same resource comes here again.
    if (subscribes != subscribed_.contains(*uri) && !telling_.contains(*uri))
      tell_one(*uri, subscribes);
  }
}

// Resources whose requests are never answered must not keep the others waiting: they come last,
// and leave one place free.
std::optional<std::string> Changes::take_due() {
  if (!due_.empty() && telling_.size() < kMostSubscribing)
    return std::move(due_.extract(due_.begin()).value());
  if (!due_.empty() || untold_.empty() || telling_.size() + 1 >= kMostSubscribing)
    return std::nullopt;
  std::string oldest = std::move(untold_.front());
  untold_.pop_front();
  return oldest;
}

void Changes::tell_one(const std::string& uri, bool subscribes) {
  telling_.insert(uri);
  Request request;
  request.method = subscribes ? "resources/subscribe" : "resources/unsubscribe";
  request.members = protocol::uri_member(uri);
  request.timeout = kSubscribeTimeout;
  request.on_answer = [this, uri, subscribes](const Answer& answer) {
    told(uri, subscribes, answer);
  };
  line_.send(std::move(request));
}

// A refusal changes nothing: the upstream does not notify about that resource.
void Changes::told(const std::string& uri, bool subscribes, const Answer& answer) {
  telling_.erase(uri);
  if (!self_) return;
  if (is_untold(answer)) {
    std::erase(untold_, uri);
    untold_.push_back(uri);
    // A request that timed out was pause enough, and says nothing about the other resources.
    if (answer.why.kind == ErrorKind::DeadlineExceeded) return tell_next();
    return pause([this] { tell_next(); });
  }
  due_.insert(uri);  // it can have changed meanwhile
  if (!is_pausing_) pause_ = std::chrono::milliseconds(0);
  if (subscribes) {
    subscribed_.insert(uri);
  } else {
    subscribed_.erase(uri);
  }
  tell_next();
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
  if (steady_now() - listens_since_ > kLasting) pause_ = std::chrono::milliseconds(0);
  pause([this] {
    if (!listening_) listen();
    line_.missed();
  });
}

// The pauses double while nothing succeeds.
void Changes::pause(std::function<void()> then) {
  if (std::exchange(is_pausing_, true)) return;
  pause_ = std::clamp(2 * pause_, kFirstPauseOfChanges, kMostPauseOfChanges);
  pause_timer_.expires_after(pause_);
  pause_timer_.async_wait([this, then = std::move(then)](boost::system::error_code error) {
    if (error || !self_) return;
    is_pausing_ = false;
    then();
  });
}

}  // namespace host::upstream
