#include "mcp/http/event_log.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/digest.h"

namespace host::mcp {

EventLog::EventLog(std::size_t most_events, std::shared_ptr<EventBudget> budget)
    : most_events_(most_events), budget_(std::move(budget)), prefix_(random_id(9) + ".") {
  budget_->by_bytes.emplace(0, this);
}

EventLog::~EventLog() {
  while (!events_.empty()) forget_oldest();
  budget_->by_bytes.erase({bytes_, this});
}

void EventLog::count(std::size_t before, std::size_t after) {
  budget_->by_bytes.erase({bytes_, this});
  bytes_ = bytes_ - before + after;
  budget_->used = budget_->used - before + after;
  budget_->by_bytes.emplace(bytes_, this);
}

void EventLog::forget_oldest() {
  count(events_.front().text.size(), 0);
  events_.pop_front();
}

EventLog* EventLog::largest_log() {
  const auto& logs = budget_->by_bytes;
  auto at = logs.rbegin();
  if (at->second == this && events_.size() <= 1) ++at;
  return at == logs.rend() || at->first == 0 ? nullptr : at->second;
}

void EventLog::keep_budget() {
  while (budget_->used > budget_->most && !events_.empty()) {
    EventLog* const largest = largest_log();
    (largest == nullptr ? this : largest)->forget_oldest();
  }
}

std::string EventLog::add(Stream stream, std::string_view text) {
  std::string id = prefix_ + std::to_string(stream) + "." + std::to_string(++last_event_);
  if (text.size() > budget_->most) {
    // It can never be kept. A client that continues after an earlier event must hear that one is
    // missing, so this log keeps none of them. Other logs lose nothing.
    while (!events_.empty()) forget_oldest();
    return id;
  }
  events_.push_back({stream, id, std::string(text)});
  count(0, text.size());
  while (events_.size() > most_events_) forget_oldest();
  keep_budget();
  return id;
}

EventLog::Missed EventLog::after(std::string_view id) const {
  const auto at = std::find_if(events_.begin(), events_.end(),
                               [id](const Event& event) { return event.id == id; });
  Missed missed;
  missed.whole = at != events_.end();
  const Named named = read(id);
  missed.stream = missed.whole ? at->stream : named.stream;
  // The numbers of another log mean nothing here; of its own stream 0 all is new to that client.
  if (!missed.whole && !named.own && missed.stream != 0) return {kNoStream, {}, false};
  const auto from = missed.whole ? std::next(at) : events_.begin();
  std::copy_if(from, events_.end(), std::back_inserter(missed.events),
               [&](const Event& event) { return event.stream == missed.stream; });
  return missed;
}

EventLog::Named EventLog::read(std::string_view id) const {
  const auto dot = id.rfind('.');
  const auto before = dot == std::string_view::npos ? dot : id.rfind('.', dot - 1);
  Named named;
  if (dot == std::string_view::npos || before == std::string_view::npos) return named;
  named.own = id.substr(0, before + 1) == prefix_;
  const std::string_view stream = id.substr(before + 1, dot - before - 1);
  std::from_chars(stream.data(), stream.data() + stream.size(), named.stream);
  return named;
}

}  // namespace host::mcp
