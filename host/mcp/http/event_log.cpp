#include "mcp/http/event_log.h"

#include <algorithm>

#include "base/digest.h"

namespace host::mcp {

EventLog::EventLog(std::size_t most_events, std::shared_ptr<EventBudget> budget)
    : most_events_(most_events), budget_(std::move(budget)), prefix_(random_id(9) + ".") {}

EventLog::~EventLog() {
  while (!events_.empty()) forget_oldest();
}

void EventLog::forget_oldest() {
  budget_->used -= events_.front().text.size();
  events_.pop_front();
}

std::string EventLog::add(Stream stream, std::string_view text) {
  std::string id = prefix_ + std::to_string(++last_event_);
  budget_->used += text.size();
  events_.push_back({stream, id, std::string(text)});
  while (events_.size() > most_events_ || (budget_->used > budget_->most && !events_.empty())) {
    forget_oldest();
  }
  return id;
}

std::optional<EventLog::Missed> EventLog::after(std::string_view id) const {
  const auto at = std::find_if(events_.begin(), events_.end(),
                               [id](const Event& event) { return event.id == id; });
  if (at == events_.end()) return std::nullopt;
  Missed missed{at->stream, {}};
  std::copy_if(std::next(at), events_.end(), std::back_inserter(missed.events),
               [&](const Event& event) { return event.stream == missed.stream; });
  return missed;
}

}  // namespace host::mcp
