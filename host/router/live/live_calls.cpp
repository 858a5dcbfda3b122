#include "router/live/live_calls.h"

#include <algorithm>

namespace host::router {

std::vector<const tool::Call*> LiveCalls::list(std::size_t most) const {
  std::vector<const tool::Call*> calls;
  for (const Entry& entry : entries_) {
    if (calls.size() == most) break;
    calls.push_back(&entry.call_);
  }
  return calls;
}

const tool::Call* LiveCalls::find(std::string_view id) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [id](const Entry& entry) {
    return entry.call_.passport->call == id && !entry.call_.cancel->requested();
  });
  return found == entries_.end() ? nullptr : &found->call_;
}

void LiveCalls::end_of(const std::function<bool(const tool::Call&)>& whose, Cancel::By by) {
  std::vector<std::shared_ptr<Cancel>> ended;  // a call may be destroyed by its cancellation
  for (const Entry& entry : entries_) {
    if (whose(entry.call_)) ended.push_back(entry.call_.cancel);
  }
  for (const auto& cancel : ended) cancel->request(by);
}

void LiveCalls::end_all(Cancel::By by) {
  end_of([](const tool::Call&) { return true; }, by);
}

void LiveCalls::when_none(std::function<void()> act) {
  none_ = std::move(act);
  tell_if_none();
}

}  // namespace host::router
