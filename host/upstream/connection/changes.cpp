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
constexpr std::size_t kMostUrisAtOnce = 100;
constexpr std::size_t kMostBytes = 32u << 10u;  // of the URIs of one request
constexpr std::size_t kMostListens = 16;
// While the resources that the upstream refuses are searched for.
constexpr std::size_t kMostSearching = 2 * kMostListens;
constexpr std::size_t kMostJoins = 20;
constexpr std::size_t kMostRefused = 1000;
constexpr std::size_t kMostAlone = 4;  // resources that are asked for again, each alone

// The upstream did not get the request, or nobody knows.
bool is_untold(const Answer& answer) {
  return answer.kind == Answer::Kind::Failed && answer.why.kind != ErrorKind::InvalidArgument &&
         answer.why.kind != ErrorKind::PluginFault;
}

// Every other refusal can be of a server that is not ready yet.
bool is_for_good(const protocol::ForeignError& refusal) {
  constexpr int kResourceNotFound = -32002;
  return refusal.code == protocol::kMethodNotFound || refusal.code == protocol::kInvalidParams ||
         refusal.code == kResourceNotFound;
}

}  // namespace

bool Changes::is_stateless() const {
  return protocol::features(self_->version).stateless;
}

void Changes::begin(const protocol::ServerSelf& self) {
  self_ = self;
  if (!is_stateless()) return follow(std::exchange(followed_, {}));
  if (self.tools_change || self.resources_change || self.prompts_change) listen({});
  listen_to_resources();
}

void Changes::follow(const std::set<std::string>& uris) {
  if (uris == followed_) return;
  const std::set<std::string> before = std::exchange(followed_, uris);
  if (!self_ || !self_->resources_subscribe) return;
  if (is_stateless()) return listen_to_others();
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

void Changes::listen(Uris uris) {
  const std::uint64_t key = ++last_listen_;
  Request request;
  request.method = "subscriptions/listen";
  request.members = protocol::listen_members(uris);
  request.on_answer = [this, key](const Answer& answer) { listen_ended(key, answer); };
  Listen& begun = listens_[key];
  begun.uris = std::move(uris);
  begun.since = steady_now();
  const RequestNumber number = line_.send(std::move(request));
  // A request that cannot be sent may have ended already.
  if (const auto at = listens_.find(key); at != listens_.end()) at->second.number = number;
}

// A server can have limits for one subscription, so there are several.
void Changes::listen_to_resources() {
  if (!self_->resources_subscribe) return;
  Uris uris;
  std::set_difference(followed_.begin(), followed_.end(), refused_.begin(), refused_.end(),
                      std::back_inserter(uris));
  listen_in_portions(uris);
}

void Changes::listen_in_portions(const Uris& uris) {
  Uris portion;
  std::size_t bytes = 0;
  std::size_t portions = 1;
  for (const std::string& uri : uris) {
    const bool is_full =
        portion.size() == kMostUrisAtOnce || (!portion.empty() && bytes + uri.size() > kMostBytes);
    if (is_full && portions < kMostListens) {
      listen(std::exchange(portion, {}));
      bytes = 0;
      ++portions;
    }
    bytes += uri.size();
    portion.push_back(uri);
  }
  if (!portion.empty()) listen(std::move(portion));
}

// A subscription ends after the upstream has begun those that replace it, so that nothing is
// missed. That of the lists goes on.
void Changes::listen_to_others() {
  std::erase_if(ended_, [](const Uris& uris) { return !uris.empty(); });
  undivided_.clear();
  accepted_halves_ = joins_ = 0;
  std::set<std::uint64_t> unbegun;
  std::size_t old = 0;
  for (auto& [key, one] : listens_) {
    if (one.uris.empty()) continue;
    if (!one.is_acknowledged) unbegun.insert(one.number);
    one.is_old = true;
    ++old;
  }
  listen_to_resources();
  const bool ends_all = followed_.empty() || old > kMostListens;
  has_gap_ = has_gap_ || old > kMostListens;
  end_listens(
      [&](const Listen& one) { return one.is_old && (ends_all || unbegun.contains(one.number)); });
  search();
}

void Changes::end_listens(const std::function<bool(const Listen&)>& is_meant) {
  std::vector<RequestNumber> numbers;
  std::erase_if(listens_, [&](const auto& entry) {
    const bool is_it = is_meant(entry.second);
    if (is_it) numbers.push_back(entry.second.number);
    return is_it;
  });
  for (const RequestNumber number : numbers)
    line_.cancel(number, "other resources are followed now");
}

void Changes::acknowledged(const protocol::Id& request) {
  for (auto& [key, one] : listens_) {
    if (std::to_string(one.number) != request) continue;
    const bool is_first = !std::exchange(one.is_acknowledged, true);
    if (one.is_half && is_first) ++accepted_halves_;
    has_gap_ = std::exchange(one.has_gap, false) || has_gap_;
  }
  search();
}

bool Changes::listens_to_lists() const {
  return std::any_of(listens_.begin(), listens_.end(), [](const auto& entry) {
    return entry.second.uris.empty() && entry.second.is_acknowledged;
  });
}

// Also a server that ends a subscription in good order goes on, or another one in its place. What
// changed meanwhile is not known.
void Changes::listen_ended(std::uint64_t key, const Answer& answer) {
  auto gone = listens_.extract(key);
  if (!gone || !self_ || gone.mapped().is_old) return;
  Listen& listen = gone.mapped();
  const bool has_lasted = listen.is_acknowledged && steady_now() - listen.since > kLasting;
  const bool is_refused = answer.kind == Answer::Kind::Refused && !has_lasted;
  if (is_refused && (!listen.uris.empty() || is_for_good(answer.refusal))) {
    has_gap_ = has_gap_ || listen.is_acknowledged;
    return listen_was_refused(std::move(listen.uris), answer.refusal);
  }
  if (steady_now() - listen.since > kLasting) {
    pause_ = std::chrono::milliseconds(0);
    is_pausing_ = false;  // a long pause, which was for others
  }
  const bool is_over = answer.kind != Answer::Kind::Failed || answer.why.kind == ErrorKind::Io;
  if ((is_refused || !is_over) && pause_.count() == 0)
    line_.refused(listen.uris.size(), is_refused ? answer.refusal.message : answer.why.message);
  ended_missed_ = ended_missed_ || listen.is_acknowledged || pause_.count() == 0;
  if (listen.uris.empty()) forget_refused();  // a change of the list may have been missed
  ended_.push_back(std::move(listen.uris));
  pause([this] { begin_again(); });
  search();  // which may have waited for this one
}

void Changes::begin_again() {
  const std::vector<Uris> ended = std::exchange(ended_, {});
  const std::uint64_t before = last_listen_;
  for (const Uris& uris : ended) listen(uris);
  const Uris unsure = take_unsure();
  if (unsure.size() > kMostAlone) {
    listen_in_portions(unsure);
  } else {  // so that they are not joined with others again and again
    for (const std::string& uri : unsure) listen({uri});
  }
  for (auto& [key, one] : listens_) one.has_gap = one.has_gap || key > before;
  if (std::exchange(ended_missed_, false)) line_.missed();
}

// Those that are still followed, and that no subscription has.
Changes::Uris Changes::take_unsure() {
  std::set<std::string> had;
  if (!unsure_.empty()) {
    for (const auto& [key, one] : listens_) had.insert(one.uris.begin(), one.uris.end());
  }
  Uris wanted;
  for (std::string& uri : std::exchange(unsure_, {})) {
    refused_.erase(uri);
    if (followed_.contains(uri) && had.insert(uri).second) wanted.push_back(std::move(uri));
  }
  return wanted;
}

void Changes::forget_refused() {
  if (refused_.empty()) return;
  unsure_.insert(unsure_.end(), refused_.begin(), refused_.end());
  refused_.clear();
  pause([this] { begin_again(); });
}

// A resource that is refused alone is not asked for again before the upstream's list of resources
// changes, or, if the upstream may not have been ready, before the next pause has ended.
void Changes::listen_was_refused(Uris uris, const protocol::ForeignError& refusal) {
  const std::string& why = refusal.message;
  if (uris.empty()) return line_.refused(0, why);
  why_refused_ = why;
  if (uris.size() > 1) {
    const bool is_joined = joins_ > 0 && has_old_listens();
    if (is_joined) joins_ = kMostJoins;  // the upstream refuses for their number
    undivided_.push_back(std::move(uris));
  } else {
    const bool is_first = !std::exchange(has_told_refusal_, true);
    if (refused_.size() >= kMostRefused) refused_.erase(refused_.begin());
    if (!is_for_good(refusal)) {
      unsure_.push_back(uris.front());
      pause([this] { begin_again(); });
    }
    refused_.insert(std::move(uris.front()));
    if (is_first) line_.refused(1, why);
  }
  search();
}

// Which of the resources the upstream refuses is found by halves. The halves that it accepts are
// joined when there is no place for further ones, and at the end.
void Changes::search() {
  const bool had_old = has_old_listens();
  const bool is_joining = joins_ > 0 && had_old;
  while (!is_joining && !undivided_.empty() && listens_.size() + 2 <= kMostSearching) {
    Uris last = std::move(undivided_.back());
    undivided_.pop_back();
    divide(std::move(last));
  }
  const bool waits = std::any_of(listens_.begin(), listens_.end(), [](const auto& entry) {
    return !entry.second.is_acknowledged && !entry.second.uris.empty();
  });
  if (waits) return;
  has_gap_ = has_gap_ || (had_old && !undivided_.empty());
  end_listens([](const Listen& one) { return one.is_old; });
  if (had_old) return search();  // there is place now
  if (accepted_halves_ > 0 && joins_ < kMostJoins) return join();
  std::size_t given_up = 0;
  for (const Uris& uris : std::exchange(undivided_, {})) given_up += uris.size();
  if (given_up > 0) line_.refused(given_up, why_refused_);
  if (std::exchange(has_gap_, false)) line_.missed();
}

void Changes::join() {
  ++joins_;
  accepted_halves_ = 0;
  Uris accepted;
  for (auto& [key, one] : listens_) {
    one.is_old = !one.uris.empty();
    accepted.insert(accepted.end(), one.uris.begin(), one.uris.end());
  }
  listen_in_portions(accepted);
}

bool Changes::has_old_listens() const {
  return std::any_of(listens_.begin(), listens_.end(),
                     [](const auto& entry) { return entry.second.is_old; });
}

void Changes::divide(Uris uris) {
  const std::uint64_t before = last_listen_;
  const auto middle = uris.begin() + static_cast<std::ptrdiff_t>(uris.size() / 2);
  Uris second(middle, uris.end());
  uris.erase(middle, uris.end());
  listen(std::move(uris));
  listen(std::move(second));
  for (auto& [key, one] : listens_) one.is_half = one.is_half || key > before;
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
