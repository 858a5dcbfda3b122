#include "webhook/deliveries.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "webhook/registration.h"

namespace host::webhook {
namespace {

using std::chrono::milliseconds;
using store::WebhookDelivery;
using store::WebhookOutcome;
using store::WebhookRecord;
using store::WebhookRoom;
using store::WebhookTaken;

// A healthy lane takes more than it attempts at once, so that fewer transactions are needed.
constexpr std::uint32_t kTakenForOne = 8;
// In one transaction, so that other users of the store do not wait long.
constexpr std::uint32_t kTakenTogether = 512;
// So that many ends and events share one transaction.
constexpr milliseconds kBetweenLooks{20};
constexpr milliseconds kLookForRights = std::chrono::seconds(10);
constexpr milliseconds kMostSleep = std::chrono::minutes(10);  // the wall clock may jump
constexpr milliseconds kAfterFault = std::chrono::seconds(1);  // the store's
constexpr milliseconds kSpare = std::chrono::seconds(5);

}  // namespace

Deliveries::Deliveries(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
                       const Clock& clock, Sender& sender, Settings settings, Disable disable)
    : io_(std::move(io)),
      desk_(std::move(desk)),
      clock_(clock),
      sender_(sender),
      settings_(settings),
      disable_(std::move(disable)),
      timer_(io_),
      pace_(io_) {}

void Deliveries::start(std::string taker) {
  taker_ = std::move(taker);
  started_ = true;
  desk_->tell([taker = taker_, now = clock_.wall()](store::Store& store) {
    static_cast<void>(store.webhooks().release(taker, now));  // otherwise they are due later
  });
  look_soon();
}

void Deliveries::stop() {
  stopped_ = true;
  timer_.cancel();
  pace_.cancel();
  const WallTime now = clock_.wall();
  for (const auto& [id, lane] : lanes_) {
    give_back_taken(*lane);
    for (const auto& [event, attempt] : lane->attempting)
      ended_.push_back({id, event, attempt.number, WebhookOutcome::Then::Back, now, {}});
    end_attempts(*lane);
  }
  store_ended();
}

// Without taking more. Should it fail, they are attempted again later.
void Deliveries::store_ended() {
  if (ended_.empty()) return;
  desk_->tell([ended = std::exchange(ended_, {}), taker = taker_,
               now = clock_.wall()](store::Store& store) {
    static_cast<void>(store.webhooks().take(ended, {}, taker, now, now));
  });
}

void Deliveries::set(const std::vector<WebhookRecord>& records) {
  std::map<std::string, LanePtr> lanes;
  for (const WebhookRecord& record : records) {
    const auto known = lanes_.find(record.id);
    const LanePtr lane = known == lanes_.end() ? std::make_shared<Lane>() : known->second;
    if (known == lanes_.end() || (record.enabled && !lane->record.enabled) ||
        record.url != lane->record.url) {  // nobody has failed yet
      lane->look_at = WallTime{};
      lane->paused_until = SteadyTime{};
      lane->failures = 0;
    }
    if (!record.enabled) lane->taken.clear();
    const WallTime last_success = std::max(lane->record.last_success, record.last_success);
    lane->record = record;
    lane->record.last_success = last_success;
    lanes[record.id] = lane;
  }
  for (const auto& [id, lane] : lanes_) {
    if (lanes.contains(id)) continue;
    lane->is_gone = true;
    end_attempts(*lane);
  }
  lanes_ = std::move(lanes);
  look_soon();
}

void Deliveries::end_attempts(Lane& lane) {
  lane.taken.clear();
  for (const auto& [event, attempt] : std::exchange(lane.attempting, {})) {
    sender_.drop(attempt.sending);
    --running_;
  }
}

void Deliveries::wake(const std::function<bool(const WebhookRecord& record)>& which) {
  for (const auto& [id, lane] : lanes_) {
    if (which(lane->record)) lane->look_at = WallTime{};
  }
  look_soon();
}

void Deliveries::look_soon() {
  if (!started_ || stopped_ || std::exchange(look_posted_, true)) return;
  if (steady_now() >= next_look_) {
    boost::asio::post(io_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->look_now();
    });
    return;
  }
  pace_.expires_at(next_look_);
  pace_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error) self->look_now();
  });
}

void Deliveries::look_now() {
  look_posted_ = false;
  next_look_ = steady_now() + kBetweenLooks;
  look();
}

void Deliveries::look() {
  if (stopped_) return;
  if (looking_) {
    look_again_ = true;
    return;
  }
  const WallTime now = clock_.wall();
  std::vector<WebhookRoom> free = rooms(now);
  if (free.empty() && ended_.empty()) return look_later();
  looking_ = true;
  // All that is taken is attempted by then, even if every attempt takes its whole time.
  const WallTime until = now + settings_.timeout * (kTakenForOne + 1) + kSpare;
  store::Desk::Act<WebhookTaken> act = [ended = std::exchange(ended_, {}), free = std::move(free),
                                        taker = taker_, now, until](store::Store& store) {
    return store.webhooks().take(ended, free, taker, now, until);
  };
  desk_->ask<WebhookTaken>(std::move(act),
                           [weak = weak_from_this()](const Result<WebhookTaken>& found) {
                             if (const auto self = weak.lock()) self->taken(found);
                           });
}

std::uint32_t Deliveries::attempts_allowed(const Lane& lane) const {
  const bool is_shared = running_ >= settings_.concurrent / 2;
  return lane.is_failing() || is_shared ? 1 : settings_.per_receiver;
}

// Lanes take turns: the first one is that after the last one of the look before.
std::vector<WebhookRoom> Deliveries::rooms(WallTime now) {
  std::vector<WebhookRoom> free;
  std::uint32_t all = 0;
  auto at = lanes_.upper_bound(last_looked_);
  for (std::size_t i = 0; i < lanes_.size(); ++i, ++at) {
    if (at == lanes_.end()) at = lanes_.begin();
    const auto& [id, lane] = *at;
    if (!lane->record.enabled || lane->look_at > now || lane->paused_until > clock_.steady())
      continue;
    if (admits_ && !admits_(lane->record)) {
      lane->look_at = now + kLookForRights;
      continue;
    }
    const std::uint32_t most = lane->is_failing() ? 1 : attempts_allowed(*lane) * kTakenForOne;
    const auto busy = static_cast<std::uint32_t>(lane->attempting.size() + lane->taken.size());
    if (busy > 0 && (lane->is_failing() || busy > most / 2))
      continue;  // the end of one looks again
    free.push_back({id, most - busy});
    lane->look_at = WallTime::max();  // until the store says
    last_looked_ = id;
    all += most - busy;
    if (all >= kTakenTogether) {
      look_again_ = true;
      break;
    }
  }
  return free;
}

void Deliveries::taken(const Result<WebhookTaken>& found) {
  looking_ = false;
  if (stopped_ && found) {
    for (const WebhookDelivery& one : found->deliveries) {
      ended_.push_back(
          {one.webhook, one.event, one.attempts, WebhookOutcome::Then::Back, clock_.wall(), {}});
    }
    return store_ended();
  }
  if (stopped_) return;
  if (!found) {  // what had ended is attempted again, with the same id
    log::warning("webhook", "deliveries cannot be read or stored",
                 {{"reason", found.error().message}});
    for (const auto& [id, lane] : lanes_) lane->look_at = clock_.wall() + kAfterFault;
    return look_later();
  }
  for (const WebhookTaken::Next& next : found->next) {
    const auto at = lanes_.find(next.webhook);
    if (at == lanes_.end()) continue;
    const WallTime due = next.due.value_or(WallTime::max());
    at->second->look_at = std::min(at->second->look_at, due);
  }
  for (const WebhookDelivery& delivery : found->deliveries) {
    const auto at = lanes_.find(delivery.webhook);
    if (at == lanes_.end() || !at->second->record.enabled) continue;
    if (!is_known(*at->second, delivery)) at->second->taken.push_back(delivery);
  }
  for (const auto& [id, lane] : lanes_) start_attempts(lane);
  if (std::exchange(look_again_, false) || !ended_.empty()) return look_soon();
  look_later();
}

// It was taken again, because an earlier take of this host took too long: one attempt is enough.
bool Deliveries::is_known(Lane& lane, const WebhookDelivery& delivery) {
  const auto at = lane.attempting.find(delivery.event);
  if (at != lane.attempting.end()) at->second.number = delivery.attempts;
  for (WebhookDelivery& one : lane.taken) {
    if (one.event != delivery.event) continue;
    one.attempts = delivery.attempts;
    return true;
  }
  return at != lane.attempting.end();
}

// The lanes whose room is taken are looked at when one of their attempts ends.
void Deliveries::look_later() {
  const WallTime now = clock_.wall();
  const SteadyTime steady = clock_.steady();
  SteadyTime next = SteadyTime::max();
  for (const auto& [id, lane] : lanes_) {
    const bool is_busy = !lane->attempting.empty() || !lane->taken.empty();
    if (!lane->record.enabled || is_busy || lane->look_at == WallTime::max()) continue;
    const auto wait = std::chrono::duration_cast<milliseconds>(lane->look_at - now);
    next = std::min(next, std::max(steady + std::min(wait, kMostSleep), lane->paused_until));
  }
  if (next == SteadyTime::max()) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(std::max(next, steady + milliseconds(1)));
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (self && !error) self->look();
  });
}

void Deliveries::start_attempts(const LanePtr& lane) {
  // A delivery may have been taken while the receiver answered that it is busy.
  if (lane->paused_until > clock_.steady()) return give_back_taken(*lane);
  if (!lane->taken.empty() && admits_ && !admits_(lane->record)) {
    give_back_taken(*lane);
    lane->look_at = clock_.wall() + kLookForRights;
  }
  while (!lane->taken.empty() && lane->attempting.size() < attempts_allowed(*lane)) {
    WebhookDelivery delivery = std::move(lane->taken.front());
    lane->taken.pop_front();
    attempt(lane, std::move(delivery));
  }
}

void Deliveries::attempt(const LanePtr& lane, WebhookDelivery delivery) {
  const std::string event = delivery.event;
  const std::uint32_t number = delivery.attempts;
  const Message message{lane->record.url, secrets_at(clock_.wall(), lane->record), event,
                        delivery.body, lane->record.principal};
  const std::uint64_t sending = sender_.send(
      message,
      [weak = weak_from_this(), lane, delivery = std::move(delivery)](const Answer& answer) {
        if (const auto self = weak.lock()) self->attempted(lane, delivery, answer);
      });
  lane->attempting[event] = {number, sending, lane->record.url};
  ++running_;
}

void Deliveries::attempted(const LanePtr& lane, const WebhookDelivery& taken,
                           const Answer& answer) {
  const auto at = lane->attempting.find(taken.event);
  if (at == lane->attempting.end()) return;
  WebhookDelivery delivery = taken;
  delivery.attempts = at->second.number;  // it may have been taken again meanwhile
  const bool is_of_former_url = at->second.url != lane->record.url;
  lane->attempting.erase(at);
  --running_;
  if (stopped_) return;       // the next host attempts it again
  if (answer.was_not_made) {  // nobody's fault but this host's: all of the lane waits
    const WallTime due = clock_.wall() + kAfterFault;
    lane->paused_until = std::max(lane->paused_until, clock_.steady() + kAfterFault);
    lane->look_at = std::min(lane->look_at, due);
    ended_.push_back(
        {delivery.webhook, delivery.event, delivery.attempts, WebhookOutcome::Then::Back, due, {}});
    give_back_taken(*lane);
    return look_soon();
  }
  if (is_of_former_url && !answer.is_accepted()) {  // it says nothing about the present receiver
    put_back(*lane, delivery);
    start_attempts(lane);
    return look_soon();
  }
  lane->failures = answer.is_accepted() ? 0 : lane->failures + 1;
  if (count_) count_(answer.is_accepted() ? 1 : 0, answer.is_accepted() ? 0 : 1);
  if (answer.is_accepted()) {
    lane->record.last_success = clock_.wall();
    ended_.push_back({delivery.webhook,
                      delivery.event,
                      delivery.attempts,
                      WebhookOutcome::Then::Delivered,
                      {},
                      {}});
  } else {
    ended_.push_back(failed(*lane, delivery, answer));
    rest(*lane, answer);
  }
  start_attempts(lane);
  look_soon();
}

// It waits in the store again, as if it had not been taken.
void Deliveries::put_back(Lane& lane, const WebhookDelivery& delivery) {
  const WallTime now = clock_.wall();
  ended_.push_back(
      {delivery.webhook, delivery.event, delivery.attempts, WebhookOutcome::Then::Back, now, {}});
  lane.look_at = std::min(lane.look_at, now);
}

void Deliveries::give_back_taken(Lane& lane) {
  for (const WebhookDelivery& delivery : std::exchange(lane.taken, {})) put_back(lane, delivery);
}

// A receiver that is busy asks for time for all events, not for one.
void Deliveries::rest(Lane& lane, const Answer& answer) {
  const bool is_busy = answer.retry_after && (answer.status == 429 || answer.status == 503);
  if (!is_busy && !lane.is_failing()) return;
  auto pause = settings_.retries.first;
  if (is_busy) pause = std::max(pause, std::min(*answer.retry_after, settings_.retries.most));
  lane.paused_until = std::max(lane.paused_until, clock_.steady() + pause);
  give_back_taken(lane);
}

WebhookOutcome Deliveries::failed(Lane& lane, const WebhookDelivery& delivery,
                                  const Answer& answer) {
  const WallTime now = clock_.wall();
  WebhookOutcome outcome{
      delivery.webhook, delivery.event, delivery.attempts, WebhookOutcome::Then::Again, {},
      answer.failure};
  const auto age = std::chrono::duration_cast<milliseconds>(now - delivery.since);
  const double dice = std::uniform_real_distribution<double>(0, 1)(dice_);
  const auto pause =
      pause_after(settings_.retries, delivery.attempts, age, dice, answer.retry_after);
  if (pause && !answer.is_gone()) {
    outcome.due = now + *pause;
    lane.look_at = std::min(lane.look_at, outcome.due);
    return outcome;
  }
  outcome.then = WebhookOutcome::Then::Dead;
  const bool failed_throughout = lane.record.last_success < delivery.since;
  if ((answer.is_gone() || failed_throughout) && lane.record.enabled && !lane.is_gone) {
    lane.record.enabled = false;
    lane.taken.clear();
    disable_(delivery.webhook, lane.record.url,
             answer.is_gone() ? "the receiver answered 410 Gone"
                              : "no delivery succeeded while one was attempted for the whole time "
                                "(webhooks.retry_for_s): " +
                                    answer.failure);
  }
  return outcome;
}

}  // namespace host::webhook
